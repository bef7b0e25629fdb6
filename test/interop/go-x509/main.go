// Says what Go's crypto/x509 and crypto/tls think of certificate chains. With the argument "make" it makes the chains anew and prints
// them with their verdicts, one a line; without, it reads that file from standard input and prints the verdict of each.
package main

import (
	"bufio"
	"bytes"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// What the chains are judged at.
var now = time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC)

type chain struct {
	Name string `json:"name"`
	// "server" or "client".
	Usage string `json:"usage"`
	// The name that a client asked for; none for a client's certificate.
	Host string `json:"host,omitempty"`
	// DER, as are the certificates of the chain, the leaf first, as they are sent.
	Roots [][]byte `json:"roots"`
	Chain [][]byte `json:"chain"`
	// PKCS #8, of the leaf.
	Key []byte `json:"key"`
	// Go's error; "" for a chain that it takes.
	Verdict string `json:"verdict"`
}

func main() {
	output := bufio.NewWriter(os.Stdout)
	defer output.Flush()
	if len(os.Args) > 1 && os.Args[1] == "make" {
		for _, made := range allChains() {
			made.Verdict = verdictOn(made)
			var line bytes.Buffer
			encoder := json.NewEncoder(&line)
			encoder.SetEscapeHTML(false)
			must(encoder.Encode(made))
			output.Write(line.Bytes())
		}
		return
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var asked chain
		must(json.Unmarshal(lines.Bytes(), &asked))
		verdict, err := json.Marshal(verdictOn(asked))
		must(err)
		fmt.Fprintln(output, string(verdict))
	}
	must(lines.Err())
}

// The words of crypto/tls for a client that looks at a server's certificates, and those of the verification that kube-apiserver asks for
// of a client's.
func verdictOn(asked chain) string {
	var sent []*x509.Certificate
	for _, der := range asked.Chain {
		parsed, err := x509.ParseCertificate(der)
		if err != nil {
			if asked.Usage == "server" {
				return fmt.Sprintf("tls: failed to parse certificate from server: %v", err)
			}
			return fmt.Sprintf("tls: failed to parse client certificate: %v", err)
		}
		sent = append(sent, parsed)
	}
	roots := x509.NewCertPool()
	for _, der := range asked.Roots {
		if parsed, err := x509.ParseCertificate(der); err == nil {
			roots.AddCert(parsed)
		}
	}
	intermediates := x509.NewCertPool()
	for _, each := range sent[1:] {
		intermediates.AddCert(each)
	}
	options := x509.VerifyOptions{
		Roots:         roots,
		Intermediates: intermediates,
		CurrentTime:   now,
		DNSName:       asked.Host,
		KeyUsages:     []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if asked.Usage == "client" {
		options.KeyUsages = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	}
	_, err := sent[0].Verify(options)
	switch {
	case err == nil:
		return ""
	case asked.Usage == "server":
		return fmt.Sprintf("tls: failed to verify certificate: %v", err)
	default:
		return err.Error()
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
