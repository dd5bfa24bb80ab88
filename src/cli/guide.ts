import type { Command } from 'commander'
import { addArticleVerbs } from './article.ts'

/** Adds `guide put|publish|unpublish|delete`. */
export function addGuide(program: Command): void {
  addArticleVerbs(program.command('guide').description('guides of a site'), 'guides')
}
