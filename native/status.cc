#include "status.h"

#include "library.h"

namespace tfe {

bool IsOk(const TF_Status* status) { return TheApi().TF_GetCode(status) == kTfOk; }

Failure FromTfStatus(const char* code, const TF_Status* status) {
  Failure failure{code, {}};
  failure.tf_code = TheApi().TF_GetCode(status);
  failure.tf_message = TheApi().TF_Message(status);
  return failure;
}

}  // namespace tfe
