<?php
// What an article of the API comes to in WordPress. Nothing here reads or writes a post.
namespace HeadlessContent;

defined('ABSPATH') || exit;

const TITLE_LENGTH = 1000;
const NAME_LENGTH = 200;
const MAX_TERMS = 100;

/** As text and lists of text, whatever the answer had; titles and excerpts are HTML afterwards, as WordPress has them. */
function fields_of(array $article): array
{
    $metadata = is_array($article['metadata'] ?? null) ? $article['metadata'] : [];
    $image = is_array($metadata['image'] ?? null) ? $metadata['image'] : [];
    $seo = is_array($article['seo'] ?? null) ? $article['seo'] : [];
    $description = one_line(text($seo, 'metaDescription'), TITLE_LENGTH);
    $excerpt = trim(text($article, 'excerpt'));
    return [
        'title' => html_of_text(one_line(text($article, 'title'), TITLE_LENGTH)),
        'body' => safe_body(text($article, 'contentHtml')),
        'excerpt' => without_shortcodes(html_of_text($excerpt !== '' ? $excerpt : $description)),
        'slug' => sanitize_title(text($article, 'slug')),
        'authors' => names($metadata['authors'] ?? [], 'name'),
        'categories' => names($metadata['categories'] ?? []),
        'tags' => names($metadata['tags'] ?? []),
        'image' => text($image, 'url'),
        'alt' => one_line(text($image, 'alt'), TITLE_LENGTH),
        'description' => $description,
        'canonical' => esc_url_raw(text($metadata, 'canonicalUrl'), ['http', 'https']),
        'language' => text($article, 'language'),
    ];
}

/** A digest of a version, the same as long as nothing has changed that a post here has. */
function digest_of(array $fields, array $article): string
{
    return md5((string) wp_json_encode([$fields, text($article, 'status')]));
}

/** Empty unless it is text. */
function text(array $from, string $name): string
{
    return is_string($from[$name] ?? null) ? wp_check_invalid_utf8($from[$name], true) : '';
}

function one_line(string $text, int $length): string
{
    return mb_substr(trim((string) preg_replace('/[\s\x00-\x1f]+/u', ' ', $text)), 0, $length);
}

/** WordPress has HTML in titles and excerpts; these are text. */
function html_of_text(string $text): string
{
    return htmlspecialchars($text, ENT_NOQUOTES, 'UTF-8');
}

/** Tags that WordPress lets an author use. What would run when the page is made is left out: blocks and shortcodes. */
function safe_body(string $html): string
{
    // WordPress drops control characters when it filters, which may make a comment or a tag of what was none.
    $html = (string) preg_replace('/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/', '', $html);
    foreach (['#<(script|style|template|noscript)\b[^>]*>.*?</\1\s*>#is', '/<!--.*?-->/s'] as $pattern) {
        $html = preg_replace($pattern, '', $html);
        if ($html === null) {
            throw new Failure('its HTML is too long for PHP: ' . preg_last_error(), false);
        }
    }
    $html = trim(str_replace('<!--', '&lt;!--', wp_kses_post($html)));
    // In a block of its own, or WordPress would make paragraphs of its lines.
    return $html === '' ? '' : "<!-- wp:html -->\n" . without_shortcodes(without_embeds($html)) . "\n<!-- /wp:html -->";
}

/** WordPress fetches an address that has a line or a paragraph to itself, and shows what it gets instead. Readers see the same text. */
function without_embeds(string $html): string
{
    return (string) preg_replace('#(?:^|>)[^\S\n]*+https?\K:(?=//[^\s<>]++[^\S\n]*+(?:$|<))#im', '&#058;', $html);
}

function without_shortcodes(string $html): string
{
    return str_replace('[', '&#091;', $html);
}

/** Names in a list, or those that its members have under `$member`; each once. */
function names($list, string $member = ''): array
{
    $names = [];
    foreach (is_array($list) ? $list : [] as $each) {
        $name = $member === '' ? $each : (is_array($each) ? ($each[$member] ?? null) : null);
        $name = is_string($name) ? one_line(sanitize_text_field($name), NAME_LENGTH) : '';
        if ($name !== '') {
            $names[$name] = $name;
        }
    }
    // A name of digits became a number as a key.
    return array_map('strval', array_slice(array_values($names), 0, MAX_TERMS));
}
