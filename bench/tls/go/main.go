// A client for dialers.mjs: a line of JSON for a task, a line of JSON for what came of it. Like client-go it keeps no sessions.
package main

import (
	"bufio"
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
	Shows, Asks   bool
	Count         int
	Parallel      int
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var given task
		if err := json.Unmarshal(line, &given); err != nil {
			panic(err)
		}
		answer, _ := json.Marshal(run(given))
		fmt.Println(string(answer))
	}
}

func run(given task) map[string]any {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(given.Ca))
	config := &tls.Config{RootCAs: roots, ServerName: "127.0.0.1"}
	if given.Shows {
		pair, err := tls.X509KeyPair([]byte(given.Cert), []byte(given.Key))
		if err != nil {
			panic(err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	var lock sync.Mutex
	served, fault := 0, ""
	var workers sync.WaitGroup
	tickets := make(chan struct{}, given.Count)
	for i := 0; i < given.Count; i++ {
		tickets <- struct{}{}
	}
	close(tickets)
	started := time.Now()
	for i := 0; i < given.Parallel; i++ {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for range tickets {
				err := dial(given, config)
				lock.Lock()
				if err == nil {
					served++
				} else {
					fault = err.Error()
				}
				lock.Unlock()
			}
		}()
	}
	workers.Wait()
	return map[string]any{"served": served, "took": time.Since(started).Milliseconds(), "fault": fault}
}

func dial(given task, config *tls.Config) error {
	raw, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", given.Port), 30*time.Second)
	if err != nil {
		return err
	}
	connection := tls.Client(raw, config)
	defer connection.Close()
	connection.SetDeadline(time.Now().Add(60 * time.Second))
	if err := connection.Handshake(); err != nil || !given.Asks {
		return err
	}
	fmt.Fprint(connection, "GET /version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	answer, err := io.ReadAll(connection)
	if err == nil && !strings.Contains(string(answer), " 200 ") && !strings.Contains(string(answer), " 401 ") {
		err = fmt.Errorf("no answer: %q", answer)
	}
	return err
}
