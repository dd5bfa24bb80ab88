import type { Command } from 'commander'
import type { Io } from '../io.ts'
import { addArticleVerbs } from './article.ts'

/** Adds `guide list|get|put|publish|unpublish|rename|delete`. */
export function addGuide(program: Command, io: Io): void {
  addArticleVerbs(program.command('guide').description('guides of a site'), io, 'guides')
}
