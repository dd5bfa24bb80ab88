/** Shows the first difference between the sent body and the pasted one. */
import type { Difference } from '../../../../src/webhooks/signature-check/body.ts'

export function BodyDifference({ difference: { byte, before, sent, here } }: { difference: Difference }) {
  return (
    <>
      <span class="below">First difference at byte {byte.toLocaleString('en')}, counted from 0.</span>
      {[
        ['Sent', sent],
        ['Pasted', here],
      ].map(([label, text]) => (
        <span class="below">
          {label}{' '}
          <code>
            {visible(before)}
            <strong>{text === '' ? '(the end)' : visible(text!)}</strong>
          </code>
        </span>
      ))}
    </>
  )
}

/** Escapes invisible characters, and keeps spaces that HTML would collapse. */
function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029\u00a0]/gu, escaped).replaceAll(/ (?= |$)|^ /g, '\u00a0')
}

function escaped(character: string): string {
  return ESCAPES[character] ?? `\\u{${character.codePointAt(0)!.toString(16)}}`
}

const ESCAPES: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }
