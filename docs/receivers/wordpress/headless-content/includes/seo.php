<?php
// Writes description and canonical URL to Yoast SEO or Rank Math. Without them, the plugin prints both.
namespace HeadlessContent;

defined('ABSPATH') || exit;

function seo_metas(): array
{
    if (defined('WPSEO_VERSION')) {
        return ['description' => '_yoast_wpseo_metadesc', 'canonical' => '_yoast_wpseo_canonical'];
    }
    if (defined('RANK_MATH_VERSION')) {
        return ['description' => 'rank_math_description', 'canonical' => 'rank_math_canonical_url'];
    }
    return ['description' => DESCRIPTION, 'canonical' => CANONICAL];
}

/** SEO plugins replace `%%name%%`, `%name%` and `%name(…)%`. They leave full-width signs alone. */
function seo_value(string $meta, string $field, array $fields): string
{
    return $field === 'description' && $meta !== DESCRIPTION
        ? (string) preg_replace('/%(?=\S*%|[\w-]+\()/u', '％', $fields[$field]) : $fields[$field];
}

function write_seo(int $post, array $fields): void
{
    foreach (seo_metas() as $field => $meta) {
        $value = seo_value($meta, $field, $fields);
        if ($value === '') {
            delete_post_meta($post, $meta);
        } else {
            write_meta($post, $meta, $value);
        }
    }
}

/** Filters WordPress' own canonical URL. SEO plugins print theirs. */
function canonical_url($url, $post)
{
    $canonical = esc_url_raw(read_meta((int) $post->ID, CANONICAL), ['http', 'https']);
    return $canonical !== '' && seo_metas()['canonical'] === CANONICAL ? $canonical : $url;
}

function print_description(): void
{
    $description = is_singular('post') && seo_metas()['description'] === DESCRIPTION
        ? read_meta((int) get_queried_object_id(), DESCRIPTION) : '';
    if ($description !== '') {
        echo '<meta name="description" content="' . esc_attr($description) . '">' . "\n";
    }
}
