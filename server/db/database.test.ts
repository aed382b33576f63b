import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { eventually } from '../../test/helpers/eventually.ts'
import { freshDatabase } from '../../test/helpers/test-app.ts'
import { CountCache } from './count-cache.ts'
import { Database, type TableName } from './database.ts'
import { type Query, q } from './query.ts'

const dir = mkdtempSync(join(tmpdir(), 'homeport-db-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const stamps = { created_at: '2026-03-01T09:00:00.000Z', updated_at: '2026-03-01T09:00:00.000Z' }
const settingsLike = (pattern: string) =>
  q
    .selectFrom('settings')
    .select((select) => select.fn.countAll<number>().as('total'))
    .where('name', 'like', pattern)
    .compile()

let db: Database
beforeEach(() => {
  db = freshDatabase()
  db.watch(['settings', 'sites', 'devices', 'contacts'])
})

const put = (name: string, value = '1') =>
  db.run(
    q
      .insertInto('settings')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value })),
  )
const names = () => db.all(q.selectFrom('settings').select('name').orderBy('name')).map(({ name }) => name)

test('a failed transaction changes nothing and runs no effect', () => {
  const effects: string[] = []
  expect(() =>
    db.transaction(() => {
      put('a')
      db.afterCommit(() => effects.push('a'))
      throw new Error('no')
    }),
  ).toThrow('no')
  expect(names()).toEqual([])
  expect(effects).toEqual([])
  db.transaction(() => put('b'))
  expect(effects).toEqual([])
})

test('a transaction inside another one joins it', () => {
  expect(() =>
    db.transaction(() => {
      db.transaction(() => put('inner'))
      expect(db.isInTransaction).toBe(true)
      throw new Error('outer fails')
    }),
  ).toThrow('outer fails')
  expect(names()).toEqual([])
})

test('a failed attempt is rolled back alone, with its effects and what caches read in it', () => {
  const effects: string[] = []
  const all = new CountCache(db, ['settings'])
  const attempt = (name: string) =>
    db.attempt(() => {
      put(name)
      db.afterCommit(() => effects.push(name))
      expect(all.total(settingsLike('%'))).toBe(names().length)
      if (name === 'bad') throw new Error(name)
    })
  db.transaction(() => {
    attempt('first')
    expect(() => attempt('bad')).toThrow('bad')
    expect(db.isInTransaction).toBe(true)
    expect(all.total(settingsLike('%'))).toBe(1)
    db.attempt(() => {
      expect(() => attempt('bad')).toThrow('bad')
      attempt('inner')
    })
    expect(effects).toEqual([])
  })
  expect([names(), effects]).toEqual([
    ['first', 'inner'],
    ['first', 'inner'],
  ])
  attempt('alone')
  expect(effects.at(-1)).toBe('alone')
})

test('a failure at the very commit rolls back the transaction and its effects', () => {
  const effects: string[] = []
  expect(() =>
    db.transaction(() => {
      db.afterCommit(() => effects.push('told'))
      put('a')
      // That a device stands at a site of its organization is checked at the commit, not before.
      db.run(q.insertInto('partners').values({ id: 'p', name: 'P', slug: 'p', ...stamps }))
      db.run(q.insertInto('organizations').values({ id: 'o', partner_id: 'p', name: 'O', slug: 'o', ...stamps }))
      const site = { site_id: 'nowhere', org_id: 'o' }
      const facts = { id: 'd', agent_id: 'd', hostname: 'd', os_type: 'linux', status: 'online' }
      db.run(q.insertInto('devices').values({ ...facts, ...site, ...stamps } as never))
      expect(db.isInTransaction).toBe(true)
    }),
  ).toThrow('FOREIGN KEY')
  expect(db.isInTransaction).toBe(false)
  expect(names()).toEqual([])
  expect(effects).toEqual([])
})

test('a transaction refuses asynchronous work and rolls back what came before', () => {
  const work = (async () => {
    put('a')
  }) as unknown as () => number
  expect(() => db.transaction(work)).toThrow('must not wait')
  expect(names()).toEqual([])
  expect(db.isInTransaction).toBe(false)
  // @ts-expect-error a callback that returns a promise does not compile
  expect(() => db.transaction(() => Promise.resolve(1))).toThrow('must not wait')
})

test('effects run after the commit in their order, and one of them may start another transaction', () => {
  const seen: string[] = []
  db.transaction(() => {
    db.afterCommit(() => {
      seen.push(`first, in a transaction: ${db.isInTransaction}`)
      db.transaction(() => {
        put('later')
        db.afterCommit(() => seen.push('of the effect'))
      })
    })
    db.transaction(() => db.afterCommit(() => seen.push('second')))
    seen.push('work')
  })
  expect(seen).toEqual(['work', 'first, in a transaction: false', 'of the effect', 'second'])
  db.afterCommit(() => seen.push('outside'))
  expect(seen.at(-1)).toBe('outside')
})

test('a failing effect throws, but neither undoes the change nor stops the other effects', () => {
  const seen: string[] = []
  expect(() =>
    db.transaction(() => {
      put('saved')
      db.afterCommit(() => {
        throw new Error('the bell is broken')
      })
      db.afterCommit(() => seen.push('the light works'))
    }),
  ).toThrow('the bell is broken')
  expect(names()).toEqual(['saved'])
  expect(seen).toEqual(['the light works'])
})

test('the version of a table changes with every write to it, and only then', () => {
  const version = () => db.version(['settings'])
  const start = version()
  names()
  db.run(q.insertInto('job_runs').values({ name: 'x' } as never))
  expect(version()).toBe(start)
  put('a')
  const written = version()
  expect(written).toBeGreaterThan(start)
  db.run(q.updateTable('settings').set({ value: '2' }).where('name', '=', 'a'))
  const updated = version()
  expect(updated).toBeGreaterThan(written)
  db.write(q.deleteFrom('settings').where('name', '=', 'a').returningAll())
  expect(version()).toBeGreaterThan(updated)
})

test('within a transaction every write after a read of the version changes it, also when a part is undone', () => {
  const version = () => db.version(['settings'])
  db.transaction(() => {
    for (const name of ['a', 'b', 'c']) {
      const before = version()
      put(name)
      put(`${name} again`)
      expect(version()).toBeGreaterThan(before)
    }
    const before = version()
    expect(() =>
      db.attempt(() => {
        put('d')
        throw new Error('undone')
      }),
    ).toThrow('undone')
    expect(version()).toBeGreaterThan(before)
  })
  const before = version()
  db.transaction(() => put('e'))
  expect(version()).toBeGreaterThan(before)
})

test('every way of writing a row changes the version of its table, and a write to uncounted columns does not', () => {
  const at = '2026-01-01T00:00:00.000Z'
  const raw = (sql: string) => db.statement(sql).run()
  raw(
    `INSERT INTO partners (id, name, slug, settings, created_at, updated_at) VALUES ('p', 'P', 'p', '{}', '${at}', '${at}')`,
  )
  raw(
    `INSERT INTO organizations (id, partner_id, name, slug, created_at, updated_at) VALUES ('o', 'p', 'O', 'o', '${at}', '${at}')`,
  )
  const site = `INSERT INTO sites (id, org_id, name, created_at, updated_at) VALUES ('s', 'o', 'S', '${at}', '${at}')`
  const device = `INSERT INTO devices (id, org_id, site_id, agent_id, hostname, os_type, status, enrolled_at, created_at, updated_at)
    VALUES ('d', 'o', 's', 'd', 'D', 'linux', 'online', '${at}', '${at}', '${at}')`
  const contact = `INSERT INTO contacts (id, org_id, site_id, name, created_at, updated_at) VALUES ('c', 'o', 's', 'C', '${at}', '${at}')`
  const changes = (table: TableName, write: () => unknown) => {
    const before = db.version([table])
    write()
    return db.version([table]) !== before
  }
  const ways: [string, TableName, () => unknown][] = [
    ['a raw insert', 'sites', () => raw(site)],
    ['a raw insert', 'devices', () => raw(device)],
    ['a raw insert', 'contacts', () => raw(contact)],
    ['a raw update', 'devices', () => raw(`UPDATE devices SET hostname = 'E' WHERE id = 'd'`)],
    [
      'an update of counted and other columns',
      'devices',
      () => raw(`UPDATE devices SET cpu_percent = 1, status = 'offline'`),
    ],
    ['an upsert', 'sites', () => raw(`${site} ON CONFLICT (id) DO UPDATE SET name = 'T'`)],
    ['a replacement', 'settings', () => raw(`INSERT OR REPLACE INTO settings (name, value) VALUES ('a', '1')`)],
    ['a built delete', 'devices', () => db.run(q.deleteFrom('devices').where('id', '=', 'd'))],
    ['a foreign key that cascades', 'contacts', () => raw(`DELETE FROM sites WHERE id = 's'`)],
    ['a delete of everything', 'settings', () => raw('DELETE FROM settings')],
  ]
  expect(ways.filter(([, table, write]) => !changes(table, write)).map(([how]) => how)).toEqual([])
  raw(site)
  raw(device)
  expect(changes('devices', () => raw(`UPDATE devices SET last_seen_at = '${at}', cpu_percent = 5`))).toBe(false)
  expect(changes('devices', () => raw(`UPDATE devices SET hostname = 'F' WHERE id = 'nobody'`))).toBe(false)
})

test('only watched tables have a version, and watching cannot begin in a transaction', () => {
  expect(() => db.version(['settings', 'roles'])).toThrow('The table roles is not watched')
  expect(() => db.transaction(() => db.watch(['roles']))).toThrow('cannot begin in a transaction')
  expect(() => db.version(['roles'])).toThrow('is not watched')
  db.watch(['settings', 'roles'])
  const before = db.version(['roles'])
  db.statement(`INSERT INTO roles (id, scope, name, is_system, force_mfa, created_at, updated_at)
    VALUES ('r', 'partner', 'R', 1, 0, '', '')`).run()
  expect(db.version(['roles'])).toBeGreaterThan(before)
})

test('a table that a migration makes anew is still watched', () => {
  const known = db.statement<string>('SELECT name FROM migrations ORDER BY rowid').pluck().all()
  const anew =
    'ALTER TABLE settings RENAME TO former; CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT; DROP TABLE former'
  db.migrate([...known.map((name) => ({ name, sql: '' })), { name: '999-anew', sql: anew }])
  const before = db.version(['settings'])
  put('a')
  expect(db.version(['settings'])).toBeGreaterThan(before)
})

test('a statement that failed half-way leaves no unsaved rows in a cache', () => {
  const totals = new CountCache(db, ['settings'])
  put('a')
  expect(totals.total(settingsLike('%'))).toBe(1)
  expect(() => db.statement(`INSERT INTO settings (name, value) VALUES ('b', '1'), ('a', '1')`).run()).toThrow()
  expect(totals.total(settingsLike('%'))).toBe(1)
})

test('all() and first() refuse a statement that writes', () => {
  const write = q.insertInto('settings').values({ name: 'x', value: '1' }).returningAll()
  expect(() => db.all(write)).toThrow('A query that only reads writes')
  expect(() => db.first(write)).toThrow('A query that only reads writes')
  expect(names()).toEqual([])
})

test('a write by another process changes every table version, a moment later', async () => {
  const file = join(dir, 'shared.db')
  const [ours, theirs] = [new Database({ file }), new Database({ file })]
  ours.migrate()
  ours.watch(['settings', 'sites'])
  const version = ours.version(['settings'])
  theirs.run(q.insertInto('settings').values({ name: 'a', value: '1' }))
  await eventually(() => expect(ours.version(['sites'])).toBeGreaterThan(version))
  expect(ours.version(['settings'])).toBeGreaterThan(version)
  ours.close()
  theirs.close()
})

test('a watcher is notified of writes to its tables, once per transaction and after its commit', async () => {
  const told: string[][] = []
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  db.onWrite(['settings'], () => told.push(names()))
  db.run(q.insertInto('job_runs').values({ name: 'x' } as never))
  await turn()
  expect(told).toEqual([])
  db.transaction(() => {
    put('a')
    put('b')
    expect(told).toEqual([])
  })
  await turn()
  expect(told).toEqual([['a', 'b']])
  put('c')
  await turn()
  expect(told).toHaveLength(2)
})

test('what a cache read inside a transaction is stale once the transaction is rolled back', () => {
  const totals = new CountCache(db, ['settings'])
  const total = () => totals.total(settingsLike('%'))
  expect(total()).toBe(0)
  expect(() =>
    db.transaction(() => {
      put('a')
      expect(total()).toBe(1)
      throw new Error('undone')
    }),
  ).toThrow('undone')
  expect(total()).toBe(0)
})

test('a cache notices a write by another process', async () => {
  const file = join(dir, 'two.db')
  const one = new Database({ file })
  one.migrate()
  const other = new Database({ file })
  const totals = new CountCache(one, ['settings'])
  const total = () => totals.total(settingsLike('%'))
  expect(total()).toBe(0)
  other.run(q.insertInto('settings').values({ name: 'x', value: '1' }))
  await eventually(() => expect(total()).toBe(1))
  one.close()
  other.close()
})

test('totals are cached per query and its parameters', () => {
  const totals = new CountCache(db, ['settings'])
  const total = (prefix: string) => totals.total(settingsLike(`${prefix}%`))
  put('a1')
  put('a2')
  put('b1')
  expect([total('a'), total('b'), total('c'), total('a')]).toEqual([2, 1, 0, 2])
  put('a3')
  expect([total('a'), total('b')]).toEqual([3, 1])
})

test('more statements than the cache keeps still work', () => {
  for (let n = 0; n < 1200; n++) expect(db.statement(`SELECT ${n} AS n`).pluck().get()).toBe(n)
  expect(db.statement('SELECT 0 AS n').pluck().get()).toBe(0)
})

test('a database of a newer version is left alone', () => {
  db.statement("INSERT INTO migrations (name, applied_at) VALUES ('999-future', '2030-01-01')").run()
  expect(() => db.migrate()).toThrow(/newer version of Homeport \(999-future\)/)
})

test('a migration that fails half-way leaves the database as it was', () => {
  const before = db.schema()
  const broken = { name: '002-broken', sql: 'CREATE TABLE half (id TEXT) STRICT; CREATE TABLE half (id TEXT) STRICT;' }
  const applied = db.statement('SELECT name FROM migrations').pluck().all() as string[]
  const known = applied.map((name) => ({ name, sql: '' }))
  expect(() => db.migrate([...known, broken])).toThrow('half')
  expect(db.schema()).toBe(before)
  expect(db.statement('SELECT name FROM migrations').pluck().all()).toEqual(applied)
})

test('saved rows are there after the database is reopened, and the promised pragmas are set', () => {
  const file = join(dir, 'kept.db')
  const one = new Database({ file })
  one.migrate()
  one.run(q.insertInto('settings').values({ name: 'kept', value: '1' }))
  const pragma = (name: string) => one.statement(`PRAGMA ${name}`).pluck().get()
  expect([pragma('journal_mode'), pragma('synchronous'), pragma('foreign_keys')]).toEqual(['wal', 2, 1])
  expect(pragma('secure_delete')).toBe(1)
  one.close()
  const two = new Database({ file })
  expect(two.all(q.selectFrom('settings').selectAll())).toEqual([{ name: 'kept', value: '1' }])
  expect(two.check()).toEqual([])
  two.close()
  two.close()
})

test('a backup taken while others write is whole', async () => {
  put('a')
  const file = join(dir, 'copy.db')
  await db.backup(file)
  const copy = new Database({ file })
  expect(copy.check()).toEqual([])
  expect(copy.all(q.selectFrom('settings').select('name'))).toEqual([{ name: 'a' }])
  copy.close()
})

test('a write that need not wait for the disk is there at once, and later writes wait again', () => {
  const file = join(dir, 'unsynced.db')
  const one = new Database({ file })
  one.migrate()
  const synchronous = () => one.statement('PRAGMA synchronous').pluck().get()
  const during: unknown[] = []
  const observed = (query: Query<unknown>): Query<unknown> => ({
    compile: () => {
      during.push(synchronous())
      return query.compile()
    },
  })
  const kept = q.insertInto('settings').values({ name: 'kept', value: '1' })
  one.runUnsynced(observed(kept))
  expect(synchronous()).toBe(2)
  expect(() => one.runUnsynced(kept)).toThrow('UNIQUE')
  expect(synchronous()).toBe(2)
  one.transaction(() => one.runUnsynced(observed(q.updateTable('settings').set({ value: '2' }))))
  expect(during).toEqual([1, 2])
  const two = new Database({ file })
  expect(two.all(q.selectFrom('settings').selectAll())).toEqual([{ name: 'kept', value: '2' }])
  two.close()
  one.close()
})
