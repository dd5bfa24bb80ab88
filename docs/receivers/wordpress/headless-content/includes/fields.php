<?php
// Converts an article of the API to WordPress fields. Reads and writes no posts.
namespace HeadlessContent;

defined('ABSPATH') || exit;

const TITLE_LENGTH = 1000;
const NAME_LENGTH = 200;
const MAX_TERMS = 100;

/** Text and lists of text, whatever the answer has. Titles and excerpts become HTML, as WordPress stores them. */
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

/** A digest of a version. It changes only with fields that a WordPress post has. */
function digest_of(array $fields, array $article): string
{
    return md5((string) wp_json_encode([$fields, text($article, 'status')]));
}

/** Empty if it is not text. */
function text(array $from, string $name): string
{
    return is_string($from[$name] ?? null) ? wp_check_invalid_utf8($from[$name], true) : '';
}

function one_line(string $text, int $length): string
{
    return mb_substr(trim((string) preg_replace('/[\s\x00-\x1f]+/u', ' ', $text)), 0, $length);
}

/** WordPress stores titles and excerpts as HTML. The API has text. */
function html_of_text(string $text): string
{
    return htmlspecialchars($text, ENT_NOQUOTES, 'UTF-8');
}

/** Keeps the tags that WordPress allows authors. Removes blocks and shortcodes, which would run when the page is rendered. */
function safe_body(string $html): string
{
    // WordPress' filter drops control characters, which can turn text into a comment or a tag.
    $html = (string) preg_replace('/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/', '', $html);
    foreach (['#<(script|style|template|noscript)\b[^>]*>.*?</\1\s*>#is', '/<!--.*?-->/s'] as $pattern) {
        $html = preg_replace($pattern, '', $html);
        if ($html === null) {
            throw new Failure('its HTML is too long for PHP: ' . preg_last_error(), false);
        }
    }
    $html = trim(str_replace('<!--', '&lt;!--', wp_kses_post($html)));
    // A Custom HTML block, because WordPress would otherwise turn lines into paragraphs.
    return $html === '' ? '' : "<!-- wp:html -->\n" . without_shortcodes(without_embeds($html)) . "\n<!-- /wp:html -->";
}

/** WordPress embeds a URL on its own line or paragraph. Escaping the colon prevents this, and readers see the same text. */
function without_embeds(string $html): string
{
    return (string) preg_replace('#(?:^|>)[^\S\n]*+https?\K:(?=//[^\s<>]++[^\S\n]*+(?:$|<))#im', '&#058;', $html);
}

function without_shortcodes(string $html): string
{
    return str_replace('[', '&#091;', $html);
}

/** Unique names in a list, or in its members' `$member`. */
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
    // PHP turns keys of digits into numbers.
    return array_map('strval', array_slice(array_values($names), 0, MAX_TERMS));
}
