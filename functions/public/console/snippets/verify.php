<?php

const TOLERANCE_SECONDS = 300;

/**
 * $_SERVER['HTTP_X_SERVICE_TIMESTAMP'] ?? null, $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? null, and the body as it arrived:
 * file_get_contents('php://input').
 */
function isGenuine(?string $timestamp, ?string $signature, string $rawBody, string $secret): bool
{
    [$timestamp, $signature] = [$timestamp ?? '', $signature ?? ''];
    $wellFormed = preg_match('/\A[0-9]{1,12}\z/', $timestamp) && preg_match('/\A[0-9a-f]{64}\z/', $signature);
    if (!$wellFormed || $secret === '') return false;
    $expected = hash_hmac('sha256', $timestamp . '.' . $rawBody, $secret);
    $fresh = abs(time() - (int) $timestamp) < TOLERANCE_SECONDS;
    return $fresh && hash_equals($expected, $signature);
}
