import { randomUUIDv7 } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { Database } from '../../server/db/database.ts'
import { migrations } from '../../server/db/migrations/index.ts'

const at = '2026-03-01T09:00:00.000Z'

function opened(before?: string): Database {
  const db = new Database({ file: ':memory:' })
  onTestFinished(() => db.close())
  db.migrate(migrations.filter(({ name }) => !before || name < before))
  return db
}

/** Devices that say as much as may be, and devices that say next to nothing. */
function fill(db: Database): void {
  const [partner, org, site] = [randomUUIDv7(), randomUUIDv7(), randomUUIDv7()]
  db.statement(`INSERT INTO partners (id, name, slug, created_at, updated_at) VALUES (?, 'P', 'p', ?, ?)`).run(
    partner,
    at,
    at,
  )
  db.statement(
    `INSERT INTO organizations (id, partner_id, name, slug, created_at, updated_at) VALUES (?, ?, 'O', 'o', ?, ?)`,
  ).run(org, partner, at, at)
  db.statement(`INSERT INTO sites (id, org_id, name, created_at, updated_at) VALUES (?, ?, 'S', ?, ?)`).run(
    site,
    org,
    at,
    at,
  )
  const device = db.statement(
    `INSERT INTO devices (id, org_id, site_id, agent_id, hostname, display_name, os_type, status, last_user, lan_ip, wan_ip,
       tags, created_at, updated_at)
     VALUES (@id, '${org}', '${site}', @id, @hostname, @display, 'linux', 'online', @user, @lan, @wan, @tags, '${at}', '${at}')`,
  )
  const hardware = db.statement(
    'INSERT INTO device_hardware (device_id, serial_number, manufacturer, model, updated_at) VALUES (?, ?, ?, ?, ?)',
  )
  const report = db.statement(
    `INSERT INTO device_reports (device_id, kind, content, content_hash, reported_at) VALUES (?, ?, ?, '', ?)`,
  )
  const full = { hostname: 'Ärger-PC', display: 'Front "desk" 100%', user: 'ACME\\ada', lan: '10.0.0.7', wan: '::1' }
  const long = 'x'.repeat(250)
  for (const [id, row] of Object.entries({
    full: { ...full, tags: '["Kiosk", "Süd"]' },
    bare: { hostname: 'bare', display: null, user: null, lan: null, wan: null, tags: '[]' },
    odd: { hostname: 'odd', display: '', user: '', lan: '', wan: '', tags: '{"a": 1, "b": null}' },
    nul: { hostname: 'a\0b', display: 'c\nd\n', user: '\n\0', lan: '\0', wan: '\n', tags: '["x\\u0000y", "\\n"]' },
    long: {
      hostname: long,
      display: long,
      user: long,
      lan: long,
      wan: long,
      tags: JSON.stringify(Array(100).fill(long)),
    },
  }))
    device.run({ id, ...row })
  hardware.run('full', 'PF-1', 'LENOVO', null, at)
  hardware.run('bare', null, null, null, at)
  hardware.run('long', long, long, long, at)
  const adapters = (count: number) =>
    Array.from({ length: count }, (_, n) => ({
      ipAddress: `10.0.${n}.1`,
      macAddress: `02-42-AC-11-00-${n}`,
      isPrimary: n === 5,
    }))
  report.run('full', 'network', JSON.stringify(adapters(8)), at)
  report.run('full', 'disks', JSON.stringify([{ ipAddress: 'no-address' }]), at)
  report.run('odd', 'network', '["text", 7, null, {}, {"ipAddress": null}, {"macAddress": {"a": 1}}]', at)
  report.run('bare', 'network', 'null', at)
  report.run('long', 'network', JSON.stringify(adapters(500)), at)
}

const texts = (db: Database) => db.statement('SELECT * FROM device_search_texts ORDER BY id').all()
const values = (db: Database) => db.statement('SELECT value, id FROM device_search_values').raw().all()
const match = (db: Database, trigram: string) =>
  db.statement('SELECT rowid FROM device_search WHERE device_search MATCH ?').pluck().all(`"${trigram}"`)

test('devices from before the migration are found by the same texts as those that come after it', () => {
  const old = opened('013')
  fill(old)
  old.migrate()
  expect(old.check()).toEqual([])
  const fresh = opened()
  fill(fresh)
  expect(texts(old)).toEqual(texts(fresh))
  expect(values(old)).toEqual(values(fresh))
  expect(values(old)).toEqual(
    expect.arrayContaining([
      ['pf-1', 5],
      ['acme\\ada', 4],
      ['10.0.0.7', 4],
      ['0242ac11001', 6],
    ]),
  )
  for (const trigram of ['pf-', 'kio', 'ada', '024', 'xxx', 'är', 'no-'])
    expect(match(old, trigram)).toEqual(match(fresh, trigram))
  expect(match(old, 'kio')).toHaveLength(1)
  expect(match(old, 'no-'), 'only the network is searched for addresses').toEqual([])
})

test('what is searched of a device is bounded, values in lower case with a line each', () => {
  const db = opened()
  fill(db)
  const [first] = texts(db)
  expect(first).toEqual({ id: 4, lines: '\nÄrger-pc\nfront "desk" 100%\nacme\\ada\n10.0.0.7\n::1\n' })
  const longest = db.statement('SELECT id % 4, max(length(lines)) FROM device_search_texts GROUP BY 1').raw().all()
  expect(longest).toEqual([
    [0, 1 + 3 * 251 + 2 * 65],
    [1, 1 + 3 * 251],
    [2, expect.any(Number)],
    [3, 1 + 50 * 101],
  ])
  const lines = db
    .statement(`SELECT lines FROM device_search_texts WHERE id % 4 = 2 ORDER BY length(lines) DESC`)
    .pluck()
    .get()
  expect(String(lines).split('\n')).toHaveLength(64 + 2)
  expect(String(lines)).toMatch(/^\n0242ac11005\n/)
})

test('nothing of a deleted device is left in the index, however it was deleted', () => {
  const db = opened()
  fill(db)
  db.statement(`DELETE FROM device_hardware WHERE device_id = 'full'`).run()
  expect(values(db)).not.toContainEqual(['pf-1', 5])
  db.statement(`DELETE FROM device_reports WHERE device_id = 'long' AND kind = 'network'`).run()
  db.transactionUnchecked(() => db.statement(`DELETE FROM devices WHERE id = 'odd'`).run())
  db.statement('DELETE FROM devices').run()
  expect([texts(db), values(db)]).toEqual([[], []])
  for (const trigram of ['pf-', 'kio', 'ada', '024', 'xxx']) expect(match(db, trigram)).toEqual([])
})
