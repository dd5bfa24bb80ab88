<?php
// The webhook endpoint. A genuine event only wakes the sync of the change feed. A repeated, late or reordered event does no
// harm, and a lost one costs minutes.
namespace HeadlessContent;

defined('ABSPATH') || exit;

const TOLERANCE_SECONDS = 300;
const MAX_EVENT_BYTES = 1000000;
const EVENTS_ROUTE = 'headless-content/v1/events';
const REACH_TIMEOUT_SECONDS = 5;

function register_route(): void
{
    register_rest_route('headless-content/v1', '/events', [
        'methods' => 'POST',
        'callback' => __NAMESPACE__ . '\receive_event',
        // The signature is checked instead.
        'permission_callback' => '__return_true',
    ]);
}

function receive_event(\WP_REST_Request $request)
{
    $settings = settings();
    $key = signing_key($settings['webhook_secret']);
    if ($key === '') {
        return new \WP_Error('headless_content_not_set_up', 'The webhook secret is missing', ['status' => 500]);
    }
    $raw_body = $request->get_body();
    if (strlen($raw_body) > MAX_EVENT_BYTES) {
        return new \WP_Error('headless_content_too_large', 'The event is too large', ['status' => 413]);
    }
    $header = function (string $name) use ($request): string {
        return (string) $request->get_header($name);
    };
    if (!is_genuine($header('webhook-id'), $header('webhook-timestamp'), $header('webhook-signature'), $raw_body, $key)) {
        return new \WP_Error('headless_content_not_genuine', 'No signature matches', ['status' => 401]);
    }
    $event = json_decode($raw_body, true);
    $kind = is_array($event) && is_string($event['event'] ?? null) ? $event['event'] : '';
    $slug = is_string($event['slug'] ?? null) ? $event['slug'] : '';
    if ($kind === 'webhook.test') {
        record('webhook tested');
    } elseif (!is_about_posts($kind)) {
        record('event ignored', 'its kind is not known', $slug);
    } elseif (($event['siteId'] ?? null) !== $settings['site_id']) {
        record('event ignored', 'it is of another site', $slug);
    } else {
        record('event received', $kind, $slug);
        wake();
    }
    return new \WP_REST_Response(null, 204);
}

/** Events are hints, so future kinds of post events wake the sync too. */
function is_about_posts(string $kind): bool
{
    return $kind === 'article.ready' || strncmp($kind, 'post.', 5) === 0;
}

/** Calls the endpoint as a guest. Returns why events cannot arrive, or an empty string. */
function reach_problem(): string
{
    $url = rest_url(EVENTS_ROUTE);
    $response = wp_remote_request($url, [
        'method' => 'POST',
        'timeout' => REACH_TIMEOUT_SECONDS,
        'redirection' => 0,
        // Like WordPress' requests to its own site.
        'sslverify' => apply_filters('https_local_ssl_verify', false, $url),
    ]);
    if (is_wp_error($response)) {
        $why = $response->get_error_message();
        return "this site cannot reach its own webhook address ($why), so it is not known whether events arrive";
    }
    $body = json_decode(wp_remote_retrieve_body($response), true);
    $code = is_array($body) && is_string($body['code'] ?? null) ? $body['code'] : '';
    // receive_event refused the missing signature, so the endpoint works.
    if (strncmp($code, 'headless_content_', 17) === 0) {
        return '';
    }
    $said = trim(wp_remote_retrieve_response_code($response) . " $code");
    return "events do not arrive: the REST API is closed to guests, or something in front of WordPress blocks it (answer: $said). "
        . "Allow POST to $url without a login";
}

/** Standard Webhooks: the MAC of `id.timestamp.body`. For a day after a rotation there are two signatures. */
function is_genuine(string $id, string $timestamp, string $signatures, string $raw_body, string $key): bool
{
    // Otherwise dots could move between id, timestamp and body without changing the signature.
    if (!preg_match('/\A[A-Za-z0-9_-]+\.[0-9]{1,12}\z/', "$id.$timestamp")) {
        return false;
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$raw_body", $key, true));
    $matches = false;
    foreach (explode(' ', $signatures) as $signature) {
        $matches = hash_equals($expected, $signature) || $matches;
    }
    return $matches && abs(time() - (int) $timestamp) <= TOLERANCE_SECONDS;
}

/** The secret's bytes. Empty for an invalid secret. */
function signing_key(string $secret): string
{
    $key = strncmp($secret, 'whsec_', 6) === 0 ? (string) base64_decode(substr($secret, 6), true) : '';
    return strlen($key) >= 24 ? $key : '';
}
