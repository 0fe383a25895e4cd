/**
 * A small inference service: POST /classify takes rows of two numbers as JSON and answers a class for each.
 * GET /health answers once TensorFlow is loaded. Ends cleanly on SIGTERM, which `docker stop` sends.
 */
import { createServer } from 'node:http';
import { isTfeError, scope, status, tf } from 'tfe-node';

// Loads the library now: a container that cannot load it must not become healthy.
const { tensorflow } = status({ load: true });
const weights = tf.constant([
  [1, 0, -1],
  [0, 1, -1],
]);

function classify(rows) {
  return scope(() => {
    const probabilities = tf.nn.softmax(tf.matmul(tf.constant(rows), weights), 1);
    return tf.argmax(probabilities, 1).dataSync({ int64: 'number' });
  });
}

const server = createServer(async (request, response) => {
  const answer = (code, body) => {
    response.writeHead(code, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  if (request.url === '/health') return answer(200, { tensorflow: tensorflow.version });
  if (request.method !== 'POST' || request.url !== '/classify') return answer(404, {});
  try {
    const chunks = await request.toArray();
    return answer(200, { classes: classify(JSON.parse(Buffer.concat(chunks).toString())) });
  } catch (error) {
    // No JSON, or no matrix of numbers with two columns: the client's. Anything else is ours, or a client that has hung up.
    if (error instanceof SyntaxError || isTfeError(error)) {
      return answer(400, { code: error.code, message: error.message });
    }
    console.error(error);
    return answer(500, {});
  }
});

server.listen(Number(process.env.PORT ?? 8080), () => {
  console.log(`listening on ${server.address().port}`);
});
process.once('SIGTERM', () => server.close());
