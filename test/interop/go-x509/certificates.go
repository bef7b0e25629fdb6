package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/md5"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"time"
)

var (
	longAgo   = time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC)
	longAfter = time.Date(2090, time.January, 1, 0, 0, 0, 0, time.UTC)
)

// A certificate with its key.
type entity struct {
	der []byte
	*x509.Certificate
	key crypto.Signer
}

// How a certificate differs from the usual one.
type difference struct {
	template func(*x509.Certificate)
	// Of the body, after it was written.
	body func(*body)
	key  crypto.Signer
	// What the issuer signs by in place of SHA-256.
	algorithm *signature
}

// A certificate's signed part.
type body struct {
	Version                              int `asn1:"optional,explicit,default:0,tag:0"`
	Serial                               *big.Int
	Algorithm                            pkix.AlgorithmIdentifier
	Issuer, Validity, Subject, PublicKey asn1.RawValue
	Extensions                           []pkix.Extension `asn1:"omitempty,optional,explicit,tag:3"`
}

type signed struct {
	Body      asn1.RawValue
	Algorithm pkix.AlgorithmIdentifier
	Signature asn1.BitString
}

type signature struct {
	identifier asn1.ObjectIdentifier
	null       bool
	sign       func(key crypto.Signer, body []byte) []byte
}

var (
	sha1WithRSA = &signature{asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 5}, true, func(key crypto.Signer, body []byte) []byte {
		hash := sha1.Sum(body)
		return signedBy(key, hash[:], crypto.SHA1)
	}}
	md5WithRSA = &signature{asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 4}, true, func(key crypto.Signer, body []byte) []byte {
		hash := md5.Sum(body)
		return signedBy(key, hash[:], crypto.MD5)
	}}
	sha1WithECDSA = &signature{asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 1}, false, func(key crypto.Signer, body []byte) []byte {
		hash := sha1.Sum(body)
		return signedBy(key, hash[:], crypto.SHA1)
	}}
	sha256WithECDSA = &signature{asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 2}, false, func(key crypto.Signer, body []byte) []byte {
		hash := sha256.Sum256(body)
		return signedBy(key, hash[:], crypto.SHA256)
	}}
	unknownAlgorithm = &signature{asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 57683, 9}, false, func(key crypto.Signer, body []byte) []byte {
		hash := sha256.Sum256(body)
		return signedBy(key, hash[:], crypto.SHA256)
	}}
)

func signedBy(key crypto.Signer, digest []byte, hash crypto.Hash) []byte {
	made, err := key.Sign(rand.Reader, digest, hash)
	must(err)
	return made
}

var serials int64 = 1000

// An authority without another above it.
func root(commonName string, differences ...difference) *entity {
	return certificate(nil, commonName, append([]difference{{template: asAuthority}}, differences...))
}

func (issuer *entity) authority(commonName string, differences ...difference) *entity {
	return certificate(issuer, commonName, append([]difference{{template: asAuthority}}, differences...))
}

// The usual certificate of a server or a client.
func (issuer *entity) leaf(usage string, differences ...difference) *entity {
	return certificate(issuer, "holder", append([]difference{{template: asHolder(usage)}}, differences...))
}

func asAuthority(template *x509.Certificate) {
	template.IsCA = true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
}

func asHolder(usage string) func(*x509.Certificate) {
	return func(template *x509.Certificate) {
		template.KeyUsage = x509.KeyUsageDigitalSignature
		if usage == "server" {
			template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
			template.DNSNames = []string{host}
		} else {
			template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
			template.Subject.Organization = []string{"holders"}
		}
	}
}

// Most leaves have the same key: the file is shorter.
var usualKey = ecKey(elliptic.P256())

func certificate(issuer *entity, commonName string, differences []difference) *entity {
	serials++
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(serials),
		Subject:               pkix.Name{CommonName: commonName},
		NotBefore:             longAgo,
		NotAfter:              longAfter,
		BasicConstraintsValid: true,
	}
	var key crypto.Signer
	for _, each := range differences {
		if each.template != nil {
			each.template(template)
		}
		if each.key != nil {
			key = each.key
		}
	}
	if key == nil {
		if template.IsCA {
			key = ecKey(elliptic.P256())
		} else {
			key = usualKey
		}
	}
	above, signer := template, key
	if issuer != nil {
		above, signer = issuer.Certificate, issuer.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, above, key.Public(), signer)
	must(err)
	for _, each := range differences {
		if each.body != nil || each.algorithm != nil {
			der = rewritten(der, each, signer)
		}
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		// The bytes are sent all the same.
		parsed = template
	}
	return &entity{der, parsed, key}
}

func rewritten(der []byte, change difference, signer crypto.Signer) []byte {
	var whole signed
	_, err := asn1.Unmarshal(der, &whole)
	must(err)
	var inner body
	_, err = asn1.Unmarshal(whole.Body.FullBytes, &inner)
	must(err)
	if change.body != nil {
		change.body(&inner)
	}
	algorithm := change.algorithm
	if algorithm == nil {
		algorithm = sha256WithECDSA
	}
	identifier := pkix.AlgorithmIdentifier{Algorithm: algorithm.identifier}
	if algorithm.null {
		identifier.Parameters = asn1.NullRawValue
	}
	inner.Algorithm = identifier
	written, err := asn1.Marshal(inner)
	must(err)
	bits := algorithm.sign(signer, written)
	made, err := asn1.Marshal(signed{
		Body:      asn1.RawValue{FullBytes: written},
		Algorithm: identifier,
		Signature: asn1.BitString{Bytes: bits, BitLength: 8 * len(bits)},
	})
	must(err)
	return made
}

func ecKey(curve elliptic.Curve) crypto.Signer {
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	must(err)
	return key
}

func rsaKey(bits int) crypto.Signer {
	key, err := rsa.GenerateKey(rand.Reader, bits)
	must(err)
	return key
}

func edKey() crypto.Signer {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	must(err)
	return key
}
