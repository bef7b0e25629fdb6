package main

import (
	"crypto/elliptic"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"math/big"
	"net"
	"net/url"
	"time"
)

// What every client asks for that says nothing else.
const host = "hook.shop.svc"

var (
	made  []chain
	ofEKU = map[string]x509.ExtKeyUsage{
		"server": x509.ExtKeyUsageServerAuth,
		"client": x509.ExtKeyUsageClientAuth,
	}
	other = map[string]string{"server": "client", "client": "server"}
	// An extended key usage, and an extension, that nobody knows.
	unknown = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 57683, 99}
)

// Adds what a peer sends, the leaf first, to those who trust the roots.
func add(name, usage string, roots []*entity, sent ...*entity) {
	asked := ""
	if usage == "server" {
		asked = host
	}
	addFor(name, usage, asked, roots, sent...)
}

func addFor(name, usage, asked string, roots []*entity, sent ...*entity) {
	key, err := x509.MarshalPKCS8PrivateKey(sent[0].key)
	must(err)
	made = append(made, chain{Name: name, Usage: usage, Host: asked, Roots: bytesOf(roots), Chain: bytesOf(sent), Key: key})
}

func bytesOf(all []*entity) [][]byte {
	bytes := [][]byte{}
	for _, each := range all {
		bytes = append(bytes, each.der)
	}
	return bytes
}

func only(all ...*entity) []*entity { return all }

func with(template func(*x509.Certificate)) difference { return difference{template: template} }

func usages(all ...x509.ExtKeyUsage) difference {
	return with(func(template *x509.Certificate) { template.ExtKeyUsage = all })
}

func names(all ...string) difference {
	return with(func(template *x509.Certificate) { template.DNSNames = all })
}

func addresses(all ...string) difference {
	return with(func(template *x509.Certificate) {
		for _, each := range all {
			template.IPAddresses = append(template.IPAddresses, net.ParseIP(each))
		}
	})
}

func uris(all ...string) difference {
	return with(func(template *x509.Certificate) {
		for _, each := range all {
			parsed, err := url.Parse(each)
			must(err)
			template.URIs = append(template.URIs, parsed)
		}
	})
}

func network(text string) *net.IPNet {
	_, parsed, err := net.ParseCIDR(text)
	must(err)
	return parsed
}

func extension(id asn1.ObjectIdentifier, critical bool, value []byte) difference {
	return with(func(template *x509.Certificate) {
		template.ExtraExtensions = append(template.ExtraExtensions, pkix.Extension{Id: id, Critical: critical, Value: value})
	})
}

func pathLength(length int) difference {
	return with(func(template *x509.Certificate) { template.MaxPathLen, template.MaxPathLenZero = length, length == 0 })
}

func validity(from, to time.Time) difference {
	return with(func(template *x509.Certificate) { template.NotBefore, template.NotAfter = from, to })
}

func without(id ...int) difference {
	return difference{body: func(inner *body) {
		kept := []pkix.Extension{}
		for _, each := range inner.Extensions {
			if !each.Id.Equal(id) {
				kept = append(kept, each)
			}
		}
		inner.Extensions = kept
	}}
}

var (
	expired      = validity(longAgo, now.AddDate(0, 0, -1))
	notYetValid  = validity(now.AddDate(0, 0, 1), longAfter)
	notAnIssuer  = with(func(template *x509.Certificate) { template.IsCA, template.KeyUsage = false, 0 })
	withoutUsage = with(func(template *x509.Certificate) { template.KeyUsage = x509.KeyUsageDigitalSignature })
	firstVersion = difference{body: func(inner *body) { inner.Version, inner.Extensions = 0, nil }}
	basics       = without(2, 5, 29, 19)
	keyIDs       = []difference{without(2, 5, 29, 14), without(2, 5, 29, 35)}
	trusted      = root("trusted")
	between      = trusted.authority("between")
)

func der(value any) []byte {
	bytes, err := asn1.Marshal(value)
	must(err)
	return bytes
}

func allChains() []chain {
	for _, usage := range []string{"server", "client"} {
		chainsOfBoth(usage)
	}
	constraints()
	hostNames()
	oddServers()
	return made
}

// What counts for servers and for clients alike.
func chainsOfBoth(usage string) {
	leaf := func(differences ...difference) *entity { return between.leaf(usage, differences...) }
	addLeaf := func(name string, differences ...difference) {
		add(name, usage, only(trusted), leaf(differences...), between)
	}
	under := func(name string, issuer *entity, differences ...difference) {
		add(name, usage, only(trusted), issuer.leaf(usage, differences...), issuer)
	}
	underRoot := func(name string, authority *entity) { add(name, usage, only(authority), authority.leaf(usage)) }
	own, others := ofEKU[usage], ofEKU[other[usage]]

	add("usual", usage, only(trusted), trusted.leaf(usage))
	addLeaf("usual, with an intermediate")
	add("usual, with the root sent too", usage, only(trusted), leaf(), between, trusted)

	addLeaf("no extended key usage", usages())
	addLeaf("extended key usage of the other side", usages(others))
	addLeaf("extended key usages of both sides", usages(others, own))
	addLeaf("extended key usage any", usages(x509.ExtKeyUsageAny))
	addLeaf("extended key usage that is unknown", usages(), with(func(template *x509.Certificate) {
		template.UnknownExtKeyUsage = []asn1.ObjectIdentifier{unknown}
	}))
	under("intermediate with the extended key usage", trusted.authority("able", usages(own)))
	under("intermediate with the extended key usage of the other side", trusted.authority("unable", usages(others)))
	under("intermediate with the extended key usage any", trusted.authority("able", usages(x509.ExtKeyUsageAny)))
	underRoot("root with the extended key usage of the other side", root("unable", usages(others)))

	none := trusted.authority("last", pathLength(0))
	under("path length 0", none)
	lower := none.authority("lower")
	add("path length exceeded", usage, only(trusted), lower.leaf(usage), lower, none)
	short := root("short", pathLength(0))
	below := short.authority("below")
	add("path length of the root exceeded", usage, only(short), below.leaf(usage), below)
	under("basic constraints CA false as issuer", trusted.authority("no CA", notAnIssuer))
	under("basic constraints missing", trusted.authority("no CA", basics))
	underRoot("basic constraints missing in the root", root("no CA", basics))
	under("intermediate of version 1", trusted.authority("old", firstVersion))
	underRoot("root of version 1", root("old", firstVersion))
	under("key usage without certSign", trusted.authority("no signer", withoutUsage))
	underRoot("key usage without certSign in the root", root("no signer", withoutUsage))

	old := root("trusted", difference{key: rsaKey(2048)})
	add("SHA-1", usage, only(old), old.leaf(usage, difference{algorithm: sha1WithRSA}))
	addLeaf("SHA-1 with ECDSA", difference{algorithm: sha1WithECDSA})
	add("MD5", usage, only(old), old.leaf(usage, difference{algorithm: md5WithRSA}))
	oldBetween := old.authority("between", difference{algorithm: sha1WithRSA})
	add("SHA-1 in the intermediate", usage, only(old), oldBetween.leaf(usage), oldBetween)
	oldest := root("oldest", difference{key: rsaKey(2048), algorithm: sha1WithRSA})
	underRoot("SHA-1 in the root", oldest)
	add("RSA", usage, only(old), old.leaf(usage))
	pss := with(func(template *x509.Certificate) { template.SignatureAlgorithm = x509.SHA256WithRSAPSS })
	add("RSA-PSS", usage, only(old), old.leaf(usage, pss))
	addLeaf("unknown signature algorithm", difference{algorithm: unknownAlgorithm})

	critical := extension(unknown, true, []byte{5, 0})
	addLeaf("unknown critical extension", critical)
	addLeaf("unknown extension", extension(unknown, false, []byte{5, 0}))
	under("unknown critical extension in the intermediate", trusted.authority("odd", critical))
	underRoot("unknown critical extension in the root", root("odd", critical))

	addLeaf("not yet valid", notYetValid)
	addLeaf("expired", expired)
	under("intermediate not yet valid", trusted.authority("early", notYetValid))
	under("intermediate expired", trusted.authority("late", expired))
	underRoot("root expired", root("late", expired))

	addLeaf("negative serial", difference{body: func(inner *body) { inner.Serial = big.NewInt(-5) }})
	addLeaf("serial zero", difference{body: func(inner *body) { inner.Serial = big.NewInt(0) }})
	under("P-224 in the intermediate", trusted.authority("small", difference{key: ecKey(elliptic.P224())}))
	under("P-384 in the intermediate", trusted.authority("large", difference{key: ecKey(elliptic.P384())}))
	addLeaf("RSA 1024", difference{key: rsaKey(1024)})
	addLeaf("P-521", difference{key: ecKey(elliptic.P521())})
	edRoot := root("ed", difference{key: edKey()})
	add("Ed25519", usage, only(edRoot), edRoot.leaf(usage, difference{key: edKey()}))

	self := certificate(nil, "self", []difference{{template: asHolder(usage)}})
	add("self-signed leaf that is the root", usage, only(self), self)
	add("self-signed leaf", usage, only(trusted), self)
	trustedLeaf := leaf()
	add("leaf that is among the roots", usage, only(trustedLeaf), trustedLeaf)
	middle := between.authority("middle")
	add("chain in order", usage, only(trusted), middle.leaf(usage), middle, between)
	add("chain in the wrong order", usage, only(trusted), middle.leaf(usage), between, middle)
	add("missing intermediate", usage, only(trusted), leaf())
	add("intermediate among the roots", usage, only(between), leaf())
	add("unrelated extra certificate", usage, only(trusted), leaf(), root("unrelated"), between)
	add("same subject, other key", usage, only(root("trusted")), trusted.leaf(usage))
	add("same subject, other key, without key identifiers", usage, only(root("trusted", keyIDs...)), trusted.leaf(usage, keyIDs...))
	add("other root of the same subject first", usage, only(root("trusted", keyIDs...), trusted), trusted.leaf(usage))
	add("other intermediate of the same subject first", usage, only(trusted),
		leaf(keyIDs...), trusted.authority("between", keyIDs...), between)
	renewed := trusted.authority("between", difference{key: between.key}, expired)
	add("expired intermediate of the same key first", usage, only(trusted), leaf(), renewed, between)
	add("no roots", usage, only(), trusted.leaf(usage))
	stranger := root("stranger", difference{key: trusted.key})
	add("issuer of another name", usage, only(stranger), trusted.leaf(usage))

	twice := extension(unknown, false, []byte{5, 0})
	addLeaf("extension twice", twice, difference{body: func(inner *body) {
		inner.Extensions = append(inner.Extensions, inner.Extensions[len(inner.Extensions)-1])
	}})
	explicit := extension(asn1.ObjectIdentifier{2, 5, 29, 36}, true, []byte{0x30, 3, 0x80, 1, 0})
	under("policy required, and none there", trusted.authority("strict", explicit))
	policy := with(func(template *x509.Certificate) {
		id, err := x509.OIDFromInts([]uint64{1, 3, 6, 1, 4, 1, 57683, 7})
		must(err)
		template.Policies = []x509.OID{id}
	})
	under("policy required, and there", trusted.authority("strict", explicit, policy), policy)
	under("policy required, and another there", trusted.authority("strict", explicit, policy), with(func(template *x509.Certificate) {
		id, err := x509.OIDFromInts([]uint64{1, 3, 6, 1, 4, 1, 57683, 8})
		must(err)
		template.Policies = []x509.OID{id}
	}))
}

func constraints() {
	limited := func(limit func(*x509.Certificate)) *entity {
		return trusted.authority("limited", with(limit))
	}
	under := func(name string, limit func(*x509.Certificate), differences ...difference) {
		authority := limited(limit)
		add(name, "server", only(trusted), authority.leaf("server", differences...), authority)
	}
	permitted := func(domain string) func(*x509.Certificate) {
		return func(template *x509.Certificate) { template.PermittedDNSDomains = []string{domain} }
	}
	excluded := func(domain string) func(*x509.Certificate) {
		return func(template *x509.Certificate) { template.ExcludedDNSDomains = []string{domain} }
	}
	under("permitted DNS name", permitted("shop.svc"))
	under("permitted DNS name, in capitals", permitted("SHOP.svc"))
	under("permitted DNS name with a leading period", permitted(".shop.svc"))
	under("permitted DNS name with a leading period, exactly", permitted("."+host))
	under("DNS name that is not permitted", permitted("bank.svc"))
	under("one of two DNS names not permitted", permitted("shop.svc"), names(host, "hook.bank.svc"))
	under("excluded DNS name", excluded("shop.svc"))
	under("excluded DNS name that ends alike", excluded("op.svc"))
	under("wildcard that an excluded name is in", excluded(host), names("*.shop.svc"))
	under("wildcard under a permitted name", permitted("shop.svc"), names("*.shop.svc"))
	for _, each := range []struct {
		name  string
		limit func(*x509.Certificate)
	}{
		{"DNS name that the root does not permit", permitted("bank.svc")},
		{"DNS name that the root permits", permitted("svc")},
		{"DNS name that the root excludes", excluded("svc")},
	} {
		limitedRoot := root("limited", with(each.limit))
		middle := limitedRoot.authority("middle")
		add(each.name, "server", only(limitedRoot), middle.leaf("server"), middle)
	}
	ten := func(template *x509.Certificate) { template.PermittedIPRanges = []*net.IPNet{network("10.0.0.0/8")} }
	notTen := func(template *x509.Certificate) { template.ExcludedIPRanges = []*net.IPNet{network("10.0.0.0/8")} }
	under("permitted address", ten, addresses("10.1.2.3"))
	under("address that is not permitted", ten, addresses("192.168.0.1"))
	under("IPv6 address where IPv4 is permitted", ten, addresses("fd00::1"))
	under("excluded address", notTen, addresses("10.1.2.3"))
	under("address beside the excluded", notTen, addresses("11.1.2.3"))
	uriLimit := func(template *x509.Certificate) { template.PermittedURIDomains = []string{"prod.example"} }
	uriBan := func(template *x509.Certificate) { template.ExcludedURIDomains = []string{"prod.example"} }
	under("permitted URI", uriLimit, uris("spiffe://prod.example/hook"))
	under("URI that is not permitted", uriLimit, uris("spiffe://test.example/hook"))
	under("excluded URI", uriBan, uris("spiffe://prod.example/hook"))
	under("URI with an address", uriLimit, uris("https://10.0.0.1/hook"))
	under("URI without a host", uriLimit, uris("urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6"))
	mail := func(template *x509.Certificate) { template.PermittedEmailAddresses = []string{"example.com"} }
	mailed := func(address string) difference {
		return with(func(template *x509.Certificate) { template.EmailAddresses = []string{address} })
	}
	under("permitted e-mail address", mail, mailed("me@example.com"))
	under("e-mail address that is not permitted", mail, mailed("me@other.example.com"))
	critical := func(template *x509.Certificate) {
		template.PermittedDNSDomainsCritical, template.PermittedDNSDomains = true, []string{"bank.svc"}
	}
	under("critical constraint", critical)
	under("constraint on names of directories, critical", with(func(template *x509.Certificate) {
		// permittedSubtrees of one empty directoryName.
		value := []byte{0x30, 0x08, 0xa0, 0x06, 0x30, 0x04, 0xa4, 0x02, 0x30, 0x00}
		extension(asn1.ObjectIdentifier{2, 5, 29, 30}, true, value).template(template)
	}).template)
	authority := limited(permitted("bank.svc"))
	add("client's DNS name that is not permitted", "client", only(trusted), authority.leaf("client", names("hook.shop.svc")), authority)
	add("client without names under a constraint", "client", only(trusted), authority.leaf("client"), authority)
	uriAuthority := limited(uriLimit)
	add("client's URI that is not permitted", "client", only(trusted), uriAuthority.leaf("client", uris("spiffe://test.example/a")), uriAuthority)
}

func hostNames() {
	asked := func(name, asked string, differences ...difference) {
		addFor(name, "server", asked, only(trusted), trusted.leaf("server", differences...))
	}
	common := func(name string) difference {
		return with(func(template *x509.Certificate) { template.Subject.CommonName, template.DNSNames = name, nil })
	}
	asked("common name without names", host, common(host))
	asked("another common name without names", host, common("holder"))
	asked("common name with capitals without names", host, common("HOOK.shop.svc"))
	asked("names without one of DNS", host, common(host), addresses("127.0.0.1"))
	asked("wrong host", "other.shop.svc")
	asked("wrong host, of two names", "other.shop.svc", names(host, "hook"))
	asked("wildcard", host, names("*.shop.svc"))
	asked("wildcard for two labels", host, names("*.svc"))
	asked("wildcard in the second label", host, names("hook.*.svc"))
	asked("wildcard for a part of a label", host, names("h*.shop.svc"))
	asked("wildcard alone", "localhost", names("*"))
	asked("wildcard for the host itself", "shop.svc", names("*.shop.svc"))
	asked("capitals in the name", host, names("HOOK.shop.SVC"))
	asked("capitals in the host", "HOOK.Shop.svc")
	asked("trailing dot in the host", host+".")
	asked("trailing dot in the name", host, names(host+"."))
	asked("underscore in the host", "a_b.shop.svc", names("a_b.shop.svc"))
	asked("host that is no name, exactly", "a b", names("a b"))
	asked("address", "127.0.0.1", addresses("127.0.0.1"))
	asked("IPv6 address", "::1", addresses("::1", "fd00::1"))
	asked("wrong address", "127.0.0.1", addresses("10.0.0.1", "fd00:0:0::1"))
	asked("address without addresses", "127.0.0.1")
	asked("address as a DNS name", "127.0.0.1", names("127.0.0.1"))
	asked("address as the common name", "127.0.0.1", common("127.0.0.1"))
	asked("IPv4 address as an IPv6 one", "::ffff:127.0.0.1", addresses("127.0.0.1"))
	many := []string{}
	for index := range 120 {
		many = append(many, fmt.Sprintf("h%d.svc", index))
	}
	asked("wrong host, of 120 names", host, names(many...))
}

func oddServers() {
	asked := func(name string, differences ...difference) {
		add(name, "server", only(trusted), trusted.leaf("server", differences...))
	}
	san := asn1.ObjectIdentifier{2, 5, 29, 17}
	own := func(critical bool, value ...byte) difference {
		return with(func(template *x509.Certificate) {
			template.DNSNames = nil
			extension(san, critical, append([]byte{0x30, byte(len(value))}, value...)).template(template)
		})
	}
	asked("address of five bytes", own(false, 0x87, 5, 1, 2, 3, 4, 5))
	asked("name beyond ASCII", own(false, 0x82, 3, 'a', 0xc3, 0xa9))
	asked("names of unknown kinds alone, critical", own(true, 0xa4, 2, 0x30, 0))
	asked("names of unknown kinds alone", own(false, 0xa4, 2, 0x30, 0))
	asked("key usage for encipherment alone", with(func(template *x509.Certificate) { template.KeyUsage = x509.KeyUsageKeyEncipherment }))
	asked("an authority as the leaf", with(asAuthority))
	asked("critical subject key identifier", with(func(template *x509.Certificate) {
		extension(asn1.ObjectIdentifier{2, 5, 29, 14}, true, der([]byte{1, 2, 3})).template(template)
	}))
	limit := asn1.ObjectIdentifier{2, 5, 29, 54}
	inhibited := trusted.authority("inhibited", extension(limit, true, der(0)))
	add("inhibitAnyPolicy", "server", only(trusted), inhibited.leaf("server"), inhibited)
	ed := edKey()
	both := root("both", difference{key: rsaKey(1024)})
	add("RSA 1024 in the root", "server", only(both), both.leaf("server"))
	add("expired, and of another authority", "server", only(root("x")), trusted.leaf("server", expired))
	add("expired, and for another host", "server", only(trusted), trusted.leaf("server", expired, names("x")))
	add("wrong host, and of another authority", "server", only(root("x")), trusted.leaf("server", names("x"), difference{key: ed}))
	add("wrong host, and for clients", "server", only(trusted), trusted.leaf("server", names("x"), usages(x509.ExtKeyUsageClientAuth)))
	nameless := certificate(nil, "", []difference{{template: asAuthority}, {template: func(template *x509.Certificate) {
		template.Subject = pkix.Name{Organization: []string{"Shop \"one\""}}
	}}})
	namesake := certificate(nil, "", []difference{{template: asAuthority}, {template: func(template *x509.Certificate) {
		template.Subject = pkix.Name{Organization: []string{"Shop \"one\""}}
	}}})
	add("same subject of an organization, other key", "server", only(namesake), nameless.leaf("server"))
}
