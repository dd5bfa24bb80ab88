import type { Command } from 'commander'
import { addArticleVerbs } from './article.ts'
import type { Io } from './io.ts'

/** Adds `guide put|publish|unpublish|delete`. */
export function addGuide(program: Command, io: Io): void {
  addArticleVerbs(program.command('guide').description('guides of a site'), io, 'guides')
}
