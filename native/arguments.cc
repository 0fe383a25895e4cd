#include "arguments.h"

#include <algorithm>
#include <cmath>

namespace tfe {

void BadArgument(EnvData& data, const char* function, const char* expected) {
  data.Throw(Failure{"TFE_BINDING_ARGUMENT", {{"function", function}, {"expected", expected}}});
}

double NumberValue(EnvData& data, napi_value value, const char* function) {
  double number;
  if (napi_get_value_double(data.env(), value, &number) != napi_ok) {
    BadArgument(data, function, "a number");
  }
  return number;
}

int64_t IntegerValue(EnvData& data, napi_value value, double min, double max, const char* function,
                     const char* expected) {
  double number;
  if (napi_get_value_double(data.env(), value, &number) != napi_ok ||
      !(number >= min && number <= max) || number != std::trunc(number)) {
    BadArgument(data, function, expected);
  }
  return static_cast<int64_t>(number);
}

std::string StringArgument(EnvData& data, const Napi::Value& value, const char* function) {
  if (!value.IsString()) BadArgument(data, function, "a string");
  std::string text = value.As<Napi::String>().Utf8Value();
  if (text.find('\0') != std::string::npos) BadArgument(data, function, "a string without NUL");
  return text;
}

View ViewArgument(EnvData& data, const Napi::Value& value, const char* function) {
  View view{nullptr, 0};
  if (value.IsTypedArray()) {
    napi_typedarray_type type;
    size_t elements = 0;
    napi_value buffer;
    size_t offset = 0;
    napi_get_typedarray_info(value.Env(), value, &type, &elements, &view.data, &buffer, &offset);
    view.length = value.As<Napi::TypedArray>().ByteLength();
  } else if (value.IsDataView()) {
    napi_value buffer;
    size_t offset = 0;
    napi_get_dataview_info(value.Env(), value, &view.length, &view.data, &buffer, &offset);
  } else {
    BadArgument(data, function, "a typed array");
  }
  return view;
}

View Float64Argument(EnvData& data, const Napi::Value& value, const char* function) {
  if (!value.IsTypedArray() ||
      value.As<Napi::TypedArray>().TypedArrayType() != napi_float64_array) {
    BadArgument(data, function, "a Float64Array");
  }
  return ViewArgument(data, value, function);
}

Napi::Value NewFloat64Array(Napi::Env env, const std::vector<double>& values) {
  Napi::Float64Array array = Napi::Float64Array::New(env, values.size());
  std::copy(values.begin(), values.end(), array.Data());
  return array;
}

}  // namespace tfe
