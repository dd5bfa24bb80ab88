<?php
// Limits image downloads to public addresses. WordPress' own check allows link-local addresses, such as a cloud's metadata
// service, and ignores IPv6.
namespace HeadlessContent;

defined('ABSPATH') || exit;

const NOT_PUBLIC = ['100.64.0.0/10', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '198.18.0.0/15', '198.51.100.0/24',
    '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'];

/**
 * A spelling that WordPress and curl read alike: scheme and host in lower case, no dot after the host.
 *
 * @throws Failure
 */
function normal_url(string $url): string
{
    if (!preg_match('~\Ahttps?:~i', $url)) {
        throw new Failure('its address is not one of http or https', false);
    }
    $is_plain = preg_match('~\A(https?://)([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?([/?][^\x00-\x1f\x7f#]*)?(?:#|\z)~i', $url, $parts);
    $host = $is_plain ? rtrim(strtolower($parts[2]), '.') : '';
    if ($host === '') {
        throw new Failure('its address is not public: it has a user, or a host that is not written as http://example.com', false);
    }
    return strtolower($parts[1]) . $host . ($parts[3] ?? '') . str_replace(' ', '%20', $parts[4] ?? '');
}

/**
 * A public address of the URL's host. Empty if a filter of the site allows the host.
 *
 * @throws Failure
 */
function public_address(string $url): string
{
    $host = trim((string) wp_parse_url($url, PHP_URL_HOST), '[]');
    // For images in the own network. WordPress' own filters must allow them too.
    if (apply_filters('headless_content_may_download', false, $url)) {
        return '';
    }
    if (!wp_http_validate_url($url)) {
        throw new Failure('its address is not public, or its port is not 80, 443 or 8080', false);
    }
    $addresses = addresses_of($host);
    if (!$addresses) {
        throw new Failure("$host has no address");
    }
    foreach ($addresses as $address) {
        if (!is_public($address)) {
            throw new Failure("$host is not public", false);
        }
    }
    return $addresses[0];
}

function addresses_of(string $host): array
{
    if (filter_var($host, FILTER_VALIDATE_IP)) {
        return [$host];
    }
    return array_values(array_unique(gethostbynamel($host) ?: []));
}

function is_public(string $address): bool
{
    // Only a literal IPv6 host gets here: we resolve names to IPv4.
    if (!filter_var($address, FILTER_VALIDATE_IP, FILTER_FLAG_IPV4 | FILTER_FLAG_NO_PRIV_RANGE | FILTER_FLAG_NO_RES_RANGE)) {
        return false;
    }
    foreach (NOT_PUBLIC as $range) {
        [$base, $bits] = explode('/', $range);
        if (ip2long($address) >> (32 - (int) $bits) === ip2long($base) >> (32 - (int) $bits)) {
            return false;
        }
    }
    return true;
}
