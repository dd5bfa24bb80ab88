<?php
// Runs PHP from the input within WordPress, and prints what it returns as JSON.
$root = $argv[1];
$_SERVER['HTTP_HOST'] = '127.0.0.1';
$_SERVER['REQUEST_METHOD'] = 'GET';
$_SERVER['REMOTE_ADDR'] = '127.0.0.1';
$_SERVER['REQUEST_URI'] = $argv[2] ?? '/';
$code = stream_get_contents(STDIN);
require $root . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/admin.php';
echo json_encode(eval($code), JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE);
