import fc from 'fast-check'
import { expect, test } from 'vitest'
import { freshDatabase } from '../../test/helpers/test-app.ts'
import { byName, sortedByName } from './by-name.ts'
import { q } from './query.ts'

const names = fc.string({
  minLength: 1,
  maxLength: 8,
  unit: fc.constantFrom('a', 'A', 'b', 'ä', 'Ä', 'ß', 's', 'é', 'ø', 'ł', ' ', '-', '1', '中'),
})

test('sortedByName gives the order in which SQLite sorts names', () => {
  const db = freshDatabase()
  fc.assert(
    fc.property(fc.array(names, { maxLength: 40 }), (wanted) => {
      db.statement('delete from partners').run()
      const at = '2026-01-01T00:00:00.000Z'
      for (const [n, name] of wanted.entries())
        db.run(
          q.insertInto('partners').values({ id: `${n % 7}-${n}`, name, slug: `${n}`, created_at: at, updated_at: at }),
        )
      const partners = q.selectFrom('partners').select(['id', 'name'])
      expect(sortedByName(db.all(partners))).toEqual(db.all(partners.orderBy(byName('name')).orderBy('id')))
    }),
    { numRuns: 100 },
  )
  db.close()
})
