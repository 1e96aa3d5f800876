// Files and refusals, by Node's own servers.
'use strict';
const fs = require('fs');
const http = require('http');
const http2 = require('http2');

const dir = '${dir}';
const pem = fs.readFileSync(dir + '/server.pem');
const files = { '/small': fs.readFileSync(dir + '/files/small'), '/large': fs.readFileSync(dir + '/files/large') };

function serve(request, response) {
  if (request.url === '/refused') {
    response.writeHead(413, { 'content-length': 0 });
    response.end();
    return;
  }
  if (request.method === 'POST') {
    request.resume();
    request.on('end', () => { response.writeHead(204); response.end(); });
    return;
  }
  // Of a request that nobody reads Node may end the stream by a reset, NO_ERROR, in place of END_STREAM.
  request.resume();
  const body = files[request.url];
  response.writeHead(200, { 'content-length': body.length });
  response.end(body);
}

function plain(port, settings) {
  const server = http.createServer({ keepAliveTimeout: 60000 }, serve);
  Object.assign(server, settings);
  server.listen(port, '127.0.0.1');
}

// Forty responses of 1 MiB fit, in MB. By default Node refuses streams of a session that has 10 MB to send.
const maxSessionMemory = 100;

function tls(port, settings, idle, more) {
  const options = { key: pem, cert: pem, allowHTTP1: true, maxSessionMemory, settings };
  const server = http2.createSecureServer({ ...options, ...more }, serve);
  server.keepAliveTimeout = idle || 60000; // of HTTP/1.1
  listen(server, port, idle);
}

function clear(port, idle) {
  listen(http2.createServer({ maxSessionMemory }, serve), port, idle);
}

function listen(server, port, idle) {
  if (idle) {
    server.on('session', session => session.setTimeout(idle, () => session.close()));
  }
  server.listen(port, '127.0.0.1');
}

plain(${plain}, {});
plain(${plain.few}, { maxRequestsPerSocket: 10 });
plain(${plain.idle}, { keepAliveTimeout: 200 });
tls(${tls}, {});
tls(${tls.idle}, {}, 200);
tls(${tls.narrow}, { maxConcurrentStreams: 4 });
tls(${tls.mutual}, {}, 0, { ca: pem, requestCert: true, rejectUnauthorized: true });
clear(${h2c});
clear(${h2c.idle}, 200);
