package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"
)

const tolerance = 5 * time.Minute

// IsGenuine takes X-Service-Timestamp, X-Service-Signature, and the body as it arrived, before any parsing.
func IsGenuine(timestamp, signature string, rawBody []byte, secret string) bool {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return false
	}
	given, err := hex.DecodeString(signature)
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(rawBody)
	age := time.Since(time.Unix(seconds, 0))
	return age < tolerance && age > -tolerance && hmac.Equal(given, mac.Sum(nil))
}
