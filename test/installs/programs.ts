/** Programs around the snippets: each reads claims as JSON from stdin and writes the snippet's result for each. */

/** Without a header that was not sent. */
export type Claim = { timestamp?: string; signature?: string; body: string; secret: string }

type Program = {
  language: string
  /** Its file in the console. */
  snippet: string
  /** Its path relative to the program. */
  place: string
  /** Succeeds if the language is installed. */
  version: string[]
  command: string[]
  files: Record<string, string>
}

export const PROGRAMS: Program[] = [
  {
    language: 'Node',
    snippet: 'verify.mjs',
    place: 'verify.mjs',
    version: [process.execPath, '--version'],
    command: [process.execPath, 'main.mjs'],
    files: {
      'main.mjs': `
import { readFileSync } from 'node:fs'
import { isGenuine } from './verify.mjs'
const claims = JSON.parse(readFileSync(0, 'utf8'))
const words = claims.map(({ timestamp, signature, body, secret }) =>
  isGenuine({ 'x-service-timestamp': timestamp, 'x-service-signature': signature }, Buffer.from(body), secret))
console.log(JSON.stringify(words))`,
    },
  },
  {
    language: 'Python',
    snippet: 'verify.py',
    place: 'verify.py',
    version: ['python3', '--version'],
    command: ['python3', 'main.py'],
    files: {
      'main.py': `
import json, sys
from verify import is_genuine
claims = json.load(sys.stdin)
print(json.dumps([is_genuine(c.get("timestamp"), c.get("signature"), c["body"].encode(), c["secret"]) for c in claims]))`,
    },
  },
  {
    language: 'PHP',
    snippet: 'verify.php',
    place: 'verify.php',
    version: ['php', '--version'],
    command: ['php', 'main.php'],
    files: {
      'main.php': `<?php
require 'verify.php';
$claims = json_decode(file_get_contents('php://stdin'), true);
echo json_encode(array_map(fn($c) => isGenuine($c['timestamp'] ?? null, $c['signature'] ?? null, $c['body'], $c['secret']), $claims));`,
    },
  },
  {
    language: 'Go',
    snippet: 'verify.go',
    place: 'webhook/verify.go',
    version: ['go', 'version'],
    command: ['go', 'run', '.'],
    files: {
      'go.mod': 'module receiver\n\ngo 1.19\n',
      'main.go': `package main

import (
	"encoding/json"
	"os"
	"receiver/webhook"
)

func main() {
	var claims []struct{ Timestamp, Signature, Body, Secret string }
	if err := json.NewDecoder(os.Stdin).Decode(&claims); err != nil {
		panic(err)
	}
	words := []bool{}
	for _, c := range claims {
		words = append(words, webhook.IsGenuine(c.Timestamp, c.Signature, []byte(c.Body), c.Secret))
	}
	json.NewEncoder(os.Stdout).Encode(words)
}`,
    },
  },
  {
    language: 'Ruby',
    snippet: 'verify.rb',
    place: 'verify.rb',
    version: ['ruby', '--version'],
    command: ['ruby', 'main.rb'],
    files: {
      'main.rb': `
require "json"
require_relative "verify"
claims = JSON.parse($stdin.read)
# A server gives the bytes of a header, which need not be UTF-8.
def header(text) = text && (text.encode("ISO-8859-1") rescue text).force_encoding("UTF-8")
puts JSON.generate(claims.map { |c| genuine?(header(c["timestamp"]), header(c["signature"]), c["body"], c["secret"]) })`,
    },
  },
]
