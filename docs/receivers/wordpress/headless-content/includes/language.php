<?php
// Languages and translations, if Polylang is active.
namespace HeadlessContent;

defined('ABSPATH') || exit;

/** Empty without Polylang, or if it lacks the language. */
function language_of(array $article): string
{
    return function_exists('pll_set_post_language') ? polylang_language(text($article, 'language')) : '';
}

/** Polylang removes terms of other languages from a post, so each language needs its own. */
function term_id_in(string $language, string $name, string $taxonomy): int
{
    $found = get_terms(['taxonomy' => $taxonomy, 'name' => $name, 'lang' => $language, 'hide_empty' => false, 'fields' => 'ids']);
    if (is_array($found) && $found) {
        return (int) $found[0];
    }
    $id = term_id($name, $taxonomy, ['slug' => sanitize_title("$name $language")]);
    if ($id) {
        pll_set_term_language($id, $language);
    }
    return $id;
}

function write_language(int $post, array $article, string $language): void
{
    if ($language === '') {
        return;
    }
    pll_set_post_language($post, $language);
    $source = find_post(text($article, 'sourcePostId'));
    $source_language = $source ? (string) pll_get_post_language($source) : '';
    if ($source_language !== '' && $source_language !== $language) {
        pll_save_post_translations([$language => $post, $source_language => $source] + pll_get_post_translations($source));
    }
}

/** Polylang's slug for a language tag: `de-CH` matches the slug `de-ch`, the locale `de_CH`, or `de`. */
function polylang_language(string $tag): string
{
    $tag = strtolower(str_replace('_', '-', $tag));
    $slugs = array_values(pll_languages_list(['fields' => 'slug']));
    $locales = array_values(pll_languages_list(['fields' => 'locale']));
    foreach ([$tag, strtok($tag, '-')] as $wanted) {
        foreach ($slugs as $at => $slug) {
            $locale = strtolower(str_replace('_', '-', (string) ($locales[$at] ?? '')));
            if ($wanted !== false && ($wanted === strtolower($slug) || $wanted === $locale)) {
                return $slug;
            }
        }
    }
    return '';
}
