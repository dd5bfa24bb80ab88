import { expect, it, onTestFinished } from 'vitest'
import { addOperator, removeOperator } from '../../src/people/operators.ts'
import { getPersonalData } from '../../src/people/personal-data.ts'
import { query } from '../support/databases.ts'
import { startOwnStack } from '../support/own-stack.ts'
import { contextOver } from '../support/verbs.ts'

it("looks up a person's names once, however many posts there are", async ({ skip }) => {
  const stack = await startOwnStack()
  onTestFinished(stack.stop)
  if (!stack.database) return skip()
  const ctx = contextOver(stack)
  const { id, name } = await addOperator(ctx, { name: 'Ada', role: 'editor' })
  await query(
    stack.database,
    `insert into sites (name, domain) values ('A', 'a.example.com');
    set audit.actor = '${name}'; set audit.actor_id = '${id}';
    insert into posts (site_id, slug, title, content_html, quality_band, ready_at)
      select id, 'post-' || n, 'A', '<p>A</p>', 'premium', now() from sites, generate_series(1, 200) n;
    analyze;
    create sequence lookups;
    grant usage on sequence lookups to public;
    alter function names_of_person rename to names_uncounted;
    create function names_of_person(person uuid) returns text[] language plpgsql stable as
      $$ begin perform nextval('lookups'); return names_uncounted(person); end $$`,
  )
  expect((await getPersonalData(ctx, id)).readyPosts).toHaveLength(200)
  expect(await query(stack.database, 'select last_value from lookups')).toEqual([{ last_value: '1' }])
  await removeOperator(ctx, id)
  expect((await getPersonalData(ctx, id)).readyPosts).toHaveLength(200)
})
