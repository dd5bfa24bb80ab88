<?php
// WEBHOOK_SECRET=whsec_… EVENTS_DIR=/var/lib/events php -S 127.0.0.1:9000 receiver.php

const TOLERANCE_SECONDS = 300;

function isGenuine(string $id, string $timestamp, string $signatures, string $rawBody, string $key): bool
{
    // Otherwise dots could move between id, timestamp and body without changing the signature.
    if (!preg_match('/\A[A-Za-z0-9_-]+\.[0-9]{1,12}\z/', "$id.$timestamp")) return false;
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$rawBody", $key, true));
    $matching = array_filter(explode(' ', $signatures), fn($each) => hash_equals($expected, $each));
    return count($matching) > 0 && abs(time() - (int) $timestamp) <= TOLERANCE_SECONDS;
}

http_response_code(500); // unless a later line sets another
$key = base64_decode(substr((string) getenv('WEBHOOK_SECRET'), strlen('whsec_')), true);
if (strlen((string) $key) < 24) exit('WEBHOOK_SECRET is missing');
$headers = array_map(fn($name) => $_SERVER["HTTP_WEBHOOK_$name"] ?? '', ['ID', 'TIMESTAMP', 'SIGNATURE']);
$rawBody = file_get_contents('php://input');
if (!isGenuine(...$headers, rawBody: $rawBody, key: $key)) {
    http_response_code(401);
    exit('No signature matches');
}

// Only one process can create the event's folder.
$claim = getenv('EVENTS_DIR') . '/' . $headers[0];
if (@mkdir($claim)) {
    $handled = false;
    // Also runs after a fatal error, so that the event can be resent.
    register_shutdown_function(function () use (&$handled, $claim) { if (!$handled) rmdir($claim); });
    $event = json_decode($rawBody);
    // Here: fetch the post from $event->fetch->path with your API key, and store it.
    if ($event->event === 'article.ready') error_log("$event->slug is ready at {$event->fetch->path}");
    $handled = true;
}
http_response_code(is_dir($claim) ? 204 : 500);
