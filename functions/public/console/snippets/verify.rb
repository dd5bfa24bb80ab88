require "openssl"

TOLERANCE_SECONDS = 300

# X-Service-Timestamp, X-Service-Signature, and the body as it arrived, before any parsing.
def genuine?(timestamp, signature, raw_body, secret)
  timestamp, signature = timestamp.to_s.b, signature.to_s.b
  return false if secret.to_s.empty? || !/\A[0-9]{1,12}\z/.match?(timestamp) || !/\A[0-9a-f]{64}\z/.match?(signature)
  expected = OpenSSL::HMAC.hexdigest("SHA256", secret, "#{timestamp}." + raw_body.b)
  fresh = (Time.now.to_i - timestamp.to_i).abs < TOLERANCE_SECONDS
  fresh && OpenSSL.fixed_length_secure_compare(expected, signature)
end
