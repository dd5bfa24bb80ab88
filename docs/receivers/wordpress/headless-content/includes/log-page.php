<?php
namespace HeadlessContent;

defined('ABSPATH') || exit;

function show_log_page(): void
{
    ?>
    <div class="wrap">
        <h1>Headless Content: log</h1>
        <p><?php echo esc_html(sprintf('The last %d things that were done, or were not, and why.', LOG_LENGTH)); ?></p>
        <table class="widefat striped">
            <thead><tr><th scope="col">Time</th><th scope="col">What</th><th scope="col">Article</th><th scope="col">Post</th><th scope="col">Why</th></tr></thead>
            <tbody>
                <?php
                $lines = read_option(LOG);
                array_map(__NAMESPACE__ . '\show_line', $lines);
                echo $lines ? '' : '<tr><td colspan="5">Nothing yet.</td></tr>';
                ?>
            </tbody>
        </table>
    </div>
    <?php
}

function show_line($line): void
{
    $line = array_merge(['at' => 0, 'what' => '', 'slug' => '', 'post' => 0, 'why' => ''], is_array($line) ? $line : []);
    $edit = $line['post'] ? (string) get_edit_post_link((int) $line['post']) : '';
    printf(
        '<tr><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>',
        esc_html((string) wp_date('Y-m-d H:i:s', (int) $line['at'])),
        esc_html((string) $line['what']),
        esc_html((string) $line['slug']),
        $edit === '' ? '' : sprintf('<a href="%s">%s</a>', esc_url($edit), esc_html((string) (int) $line['post'])),
        esc_html((string) $line['why'])
    );
}
