<?php
// Finds categories, tags and users by name.
namespace HeadlessContent;

defined('ABSPATH') || exit;

/** Sorted ids. Creates missing terms. `$language` is Polylang's, or empty. */
function term_ids(array $names, string $taxonomy, string $language): array
{
    $ids = [];
    foreach ($names as $name) {
        $ids[] = $language === '' ? term_id($name, $taxonomy) : term_id_in($language, $name, $taxonomy);
    }
    $ids = array_values(array_unique(array_filter($ids)));
    sort($ids);
    return $ids;
}

function term_id(string $name, string $taxonomy, array $more = []): int
{
    $term = ($more ? null : term_exists(wp_slash($name), $taxonomy)) ?: wp_insert_term(wp_slash($name), $taxonomy, $more);
    return (int) (is_wp_error($term) ? $term->get_error_data('term_exists') : $term['term_id']);
}

function category_ids(array $names, string $language): array
{
    $chosen = (int) settings()['category'];
    $fallback = term_exists($chosen, 'category') ? $chosen : (int) get_option('default_category');
    if ($language !== '') {
        $fallback = (int) pll_get_term($fallback, $language) ?: $fallback;
    }
    return term_ids($names, 'category', $language) ?: array_filter([$fallback]);
}

/**
 * The user with the author's public name, else the one in the settings. Users choose their public names, so only users who
 * may edit others' posts count.
 */
function author_id(array $names): int
{
    foreach ($names as $name) {
        // As WordPress stores it.
        $stored = wp_unslash((string) sanitize_user_field('display_name', wp_slash($name), 0, 'db'));
        $found = get_users([
            'search' => str_replace('*', '', $stored),
            'search_columns' => ['display_name'],
            'capability' => 'edit_others_posts',
            'number' => 2,
            'fields' => ['ID', 'display_name'],
        ]);
        if (count($found) === 1 && $found[0]->display_name === $stored) {
            return (int) $found[0]->ID;
        }
    }
    $chosen = (int) settings()['author'];
    if ($chosen !== 0 && get_userdata($chosen)) {
        return $chosen;
    }
    return (int) (get_users(['role' => 'administrator', 'number' => 1, 'orderby' => 'ID', 'fields' => 'ID'])[0] ?? 0);
}
