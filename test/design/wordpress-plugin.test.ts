/** The plugin for WordPress as text; `test/installs/wordpress-plugin.test.ts` runs it. */
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const FOLDER = 'docs/receivers/wordpress/headless-content'
const FILES = globSync('**/*.php', { cwd: FOLDER }).sort()
const MAX_LINES = 300
const missing = spawnSync('php', ['--version']).error ? ' (skipped: php is not installed)' : ''

/**
 * Prints features that PHP 7.4 lacks and calls that the plugin must not make, by file. Fails for invalid PHP, as `php -l`
 * does.
 */
const READER = String.raw`
  $forbidden = ['eval', 'assert', 'create_function', 'unserialize', 'maybe_unserialize', 'extract', 'parse_str', 'system', 'exec',
    'passthru', 'shell_exec', 'popen', 'proc_open', 'curl_exec', 'file_get_contents', 'file_put_contents', 'fopen', 'wp_remote_post',
    'download_url', 'query', 'array_is_list', 'get_debug_type', 'fdiv', 'array_find', 'array_any', 'array_all', 'mb_trim', 'json_validate'];
  foreach (array_slice($argv, 1) as $file) {
    $tokens = array_values(array_filter(PhpToken::tokenize(file_get_contents($file), TOKEN_PARSE), fn ($token) => !$token->isIgnorable()));
    foreach ($tokens as $at => $token) {
      $next = $tokens[$at + 1] ?? null;
      $before = $tokens[$at - 1] ?? null;
      $found = match (true) {
        $token->is([T_MATCH, T_NULLSAFE_OBJECT_OPERATOR, T_ATTRIBUTE, T_ENUM, T_READONLY]) => $token->text,
        $token->is([T_STRING, T_EVAL]) && $next?->text === '(' && in_array(strtolower($token->text), $forbidden, true)
          && $before?->text !== 'function' => $token->text,
        $token->is(T_STRING) && $next?->text === ':' && in_array($before?->text, ['(', ','], true) => 'named argument ' . $token->text,
        $token->is([T_PUBLIC, T_PRIVATE, T_PROTECTED]) && in_array($before?->text, ['(', ','], true) => 'constructor promotion',
        $token->text === '|' && $before?->is([T_STRING, T_ARRAY]) && $next?->is([T_STRING, T_ARRAY])
          && !preg_match('/\A(FILTER|ENT|JSON)_/', $before->text) => 'union type',
        $token->is(T_STRING) && in_array($token->text, ['mixed', 'never'], true) => $token->text,
        $token->is(T_THROW) && !in_array($before?->text, [';', '{', '}', ':', ')'], true) => 'throw within an expression',
        $token->is(T_CATCH) && ($tokens[$at + 3]->text ?? '') === ')' => 'catch without a variable',
        default => null,
      };
      if ($found !== null) echo basename($file), ':', $token->line, ': ', $found, "\n";
    }
  }`

const read = (paths: string[]) =>
  execFileSync('php', ['-r', READER, '--', ...paths], { encoding: 'utf8' }).trim()

describe('the plugin for WordPress', () => {
  it('is one folder with a GPL header, and has no long file', () => {
    const header = readFileSync(join(FOLDER, 'headless-content.php'), 'utf8')
    expect(header).toMatch(/\* Plugin Name: .+/)
    expect(header).toMatch(/\* License: GPL-2\.0-or-later/)
    const readme = readFileSync(join(FOLDER, 'readme.txt'), 'utf8')
    for (const name of ['Requires at least', 'Requires PHP']) {
      const said = (text: string) => new RegExp(`${name}: (.+)`).exec(text)?.[1]
      expect(said(readme)).toBe(said(header))
    }
    const version = /\* Version: (.+)/.exec(header)![1]
    expect(readme).toContain(`Stable tag: ${version}`)
    for (const file of FILES)
      expect(readFileSync(join(FOLDER, file), 'utf8').split('\n').length, file).toBeLessThanOrEqual(MAX_LINES)
  })

  it('does nothing when one of its files is requested directly', () => {
    for (const file of FILES)
      expect(readFileSync(join(FOLDER, file), 'utf8'), file).toMatch(
        /^defined\('(ABSPATH|WP_UNINSTALL_PLUGIN)'\) \|\| exit;$/m,
      )
  })

  it.skipIf(missing)(`is valid in PHP 7.4, and calls no forbidden functions${missing}`, () => {
    const paths = FILES.map((file) => join(FOLDER, file))
    expect(read(paths)).toBe('')
  })

  it.skipIf(missing)(`would fail this check otherwise${missing}`, () => {
    const code = `<?php
      class A { function __construct(public int $a) {} }
      function b(int|string $c): mixed { return match (1) { default => $c?->d ?? throw new E() }; }
      try { f(name: eval('1'), g: unserialize('')); } catch (E) { $wpdb->query('x'); }`
    const path = join(process.env.XDG_CACHE_HOME!, 'newer.php')
    execFileSync('mkdir', ['-p', process.env.XDG_CACHE_HOME!])
    execFileSync('tee', [path], { input: code })
    const found = read([path])
      .replaceAll(/newer\.php:\d+: /g, '')
      .split('\n')
    expect(found).toEqual([
      ...['constructor promotion', 'union type', 'mixed', 'match', '?->', 'throw within an expression'],
      ...[
        'named argument name',
        'eval',
        'named argument g',
        'unserialize',
        'catch without a variable',
        'query',
      ],
    ])
  })
})
