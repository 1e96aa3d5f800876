// Files and refusals, by the servers of Go's own library; Go 1.24 or later.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"os"
	"time"
)

const dir = "${dir}"

func serve(out http.ResponseWriter, in *http.Request) {
	switch {
	case in.URL.Path == "/refused":
		out.WriteHeader(http.StatusRequestEntityTooLarge)
	case in.Method == http.MethodPost:
		if _, err := io.Copy(io.Discard, in.Body); err == nil {
			out.WriteHeader(http.StatusNoContent)
		}
	default:
		http.ServeFile(out, in, dir+"/files"+in.URL.Path)
	}
}

func server(port string, idle time.Duration) *http.Server {
	return &http.Server{
		Addr:        "127.0.0.1:" + port,
		Handler:     http.HandlerFunc(serve),
		IdleTimeout: idle,
		ErrorLog:    log.New(io.Discard, "", 0),
	}
}

func plain(port string, idle time.Duration) {
	go func() { log.Fatal(server(port, idle).ListenAndServe()) }()
}

// HTTP/2 alone, without TLS.
func clear(port string, idle time.Duration) {
	s := server(port, idle)
	s.Protocols = new(http.Protocols)
	s.Protocols.SetUnencryptedHTTP2(true)
	go func() { log.Fatal(s.ListenAndServe()) }()
}

func secure(port string, idle time.Duration, streams int, mutual bool) {
	s := server(port, idle)
	s.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: streams}
	if mutual {
		pem, err := os.ReadFile(dir + "/server.pem")
		if err != nil {
			log.Fatal(err)
		}
		known := x509.NewCertPool()
		known.AppendCertsFromPEM(pem)
		s.TLSConfig = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: known}
	}
	go func() { log.Fatal(s.ListenAndServeTLS(dir+"/server.pem", dir+"/server.pem")) }()
}

func main() {
	plain("${plain}", time.Minute)
	plain("${plain.idle}", 200*time.Millisecond)
	secure("${tls}", time.Minute, 250, false)
	secure("${tls.idle}", 200*time.Millisecond, 250, false)
	secure("${tls.narrow}", time.Minute, 4, false)
	secure("${tls.mutual}", time.Minute, 250, true)
	clear("${h2c}", time.Minute)
	clear("${h2c.idle}", 200*time.Millisecond)
	select {}
}
