// Dials a server several times and tells what it was sent, a line of JSON a connection. The task comes as JSON by the standard input.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"time"
)

type task struct {
	Port          int
	Ca, Cert, Key string
	// Keeps sessions, which client-go does not.
	Sessions bool
	Count    int
	// Dials all at once.
	AtOnce bool
}

type seen struct {
	Served  bool
	Resumed bool
	Fault   string
	// Bytes that came after the handshake and are no part of the answer: tickets, and what records add.
	Beside int
}

type counted struct {
	net.Conn
	read int
}

func (c *counted) Read(into []byte) (int, error) {
	n, err := c.Conn.Read(into)
	c.read += n
	return n, err
}

func main() {
	var given task
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		panic(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(given.Ca))
	pair, err := tls.X509KeyPair([]byte(given.Cert), []byte(given.Key))
	if err != nil {
		panic(err)
	}
	config := &tls.Config{RootCAs: roots, ServerName: "127.0.0.1", Certificates: []tls.Certificate{pair}}
	if given.Sessions {
		config.ClientSessionCache = tls.NewLRUClientSessionCache(10)
	}
	all := make([]seen, given.Count)
	var dials sync.WaitGroup
	for i := range all {
		dials.Add(1)
		go func() {
			defer dials.Done()
			all[i] = dial(given.Port, config)
		}()
		if !given.AtOnce {
			dials.Wait()
		}
	}
	dials.Wait()
	for _, one := range all {
		line, _ := json.Marshal(one)
		fmt.Println(string(line))
	}
}

func dial(port int, config *tls.Config) seen {
	raw, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", port), time.Minute)
	if err != nil {
		return seen{Fault: err.Error()}
	}
	below := &counted{Conn: raw}
	connection := tls.Client(below, config)
	defer connection.Close()
	if err := connection.Handshake(); err != nil {
		return seen{Fault: err.Error()}
	}
	before := below.read
	fmt.Fprint(connection, "GET /version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	answer, err := io.ReadAll(connection)
	if err != nil {
		return seen{Fault: err.Error()}
	}
	return seen{
		Served:  strings.HasPrefix(string(answer), "HTTP/1.1 200 "),
		Resumed: connection.ConnectionState().DidResume,
		Beside:  below.read - before - len(answer),
	}
}
