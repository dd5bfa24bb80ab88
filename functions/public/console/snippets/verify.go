package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"time"
)

const tolerance = 5 * time.Minute

var (
	timestampForm = regexp.MustCompile(`\A[0-9]{1,12}\z`)
	signatureForm = regexp.MustCompile(`\A[0-9a-f]{64}\z`)
)

// IsGenuine takes X-Service-Timestamp, X-Service-Signature, and the body as it arrived, before any parsing.
func IsGenuine(timestamp, signature string, rawBody []byte, secret string) bool {
	if secret == "" || !timestampForm.MatchString(timestamp) || !signatureForm.MatchString(signature) {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(rawBody)
	seconds, _ := strconv.ParseInt(timestamp, 10, 64)
	age := time.Since(time.Unix(seconds, 0))
	expected := hex.EncodeToString(mac.Sum(nil))
	return age < tolerance && age > -tolerance && hmac.Equal([]byte(signature), []byte(expected))
}
