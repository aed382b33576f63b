import { randomUUIDv7 } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { freshDatabase } from '../../test/helpers/test-app.ts'
import { times } from '../../test/helpers/thorough.ts'
import { q } from './query.ts'

const now = '2026-03-01T09:00:00.000Z'
const stamps = { created_at: now, updated_at: now }

/** Two organizations with two sites each: enough for every kind of move. */
function stage() {
  const db = freshDatabase()
  const partner = randomUUIDv7()
  db.run(q.insertInto('partners').values({ id: partner, name: 'P', slug: 'p', ...stamps }))
  const sites: { id: string; org_id: string }[] = []
  for (const name of ['one', 'two']) {
    const org = randomUUIDv7()
    db.run(q.insertInto('organizations').values({ id: org, partner_id: partner, name, slug: name, ...stamps }))
    for (const site of ['a', 'b']) {
      const id = randomUUIDv7()
      db.run(q.insertInto('sites').values({ id, org_id: org, name: site, ...stamps }))
      sites.push({ id, org_id: org })
    }
  }
  return { db, sites }
}

const site = fc.nat({ max: 3 })
const device = fc.nat({ max: 5 })
const status = fc.constantFrom('online', 'offline', 'decommissioned', 'quarantined', 'decommissioned' as const)
const step = fc.oneof(
  fc.record({ do: fc.constant('enroll' as const), device, site, status }),
  fc.record({ do: fc.constant('move' as const), device, site }),
  fc.record({ do: fc.constant('status' as const), device, status }),
  fc.record({ do: fc.constant('rename' as const), device }),
  fc.record({ do: fc.constant('both' as const), device, site, status }),
  fc.record({ do: fc.constant('delete' as const), device }),
  fc.record({ do: fc.constant('undone' as const), device, status }),
)

test('the stored device counts equal a recount after any sequence of device changes', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { db, sites } = stage()
      const at = (index: number) => sites[index] as { id: string; org_id: string }
      const placed = (index: number) => ({ site_id: at(index).id, org_id: at(index).org_id })
      const change = (n: number, set: object) =>
        db.run(q.updateTable('devices').set(set).where('agent_id', '=', `agent-${n}`))
      for (const one of steps)
        switch (one.do) {
          case 'enroll':
            db.run(
              q
                .insertInto('devices')
                .values({
                  id: randomUUIDv7(),
                  agent_id: `agent-${one.device}`,
                  hostname: `pc-${one.device}`,
                  os_type: 'linux',
                  status: one.status,
                  ...placed(one.site),
                  ...stamps,
                } as never)
                .onConflict((conflict) => conflict.column('agent_id').doNothing()),
            )
            break
          case 'move':
            change(one.device, placed(one.site))
            break
          case 'status':
            change(one.device, { status: one.status })
            break
          case 'rename':
            change(one.device, { hostname: 'renamed' })
            break
          case 'both':
            change(one.device, { ...placed(one.site), status: one.status })
            break
          case 'delete':
            db.run(q.deleteFrom('devices').where('agent_id', '=', `agent-${one.device}`))
            break
          case 'undone':
            expect(() =>
              db.transaction(() => {
                change(one.device, { status: one.status })
                throw new Error('undone')
              }),
            ).toThrow('undone')
        }
      const wrong = (table: string, column: string) =>
        db
          .statement(
            `SELECT id, device_count FROM ${table} WHERE device_count <>
             (SELECT count(*) FROM devices WHERE devices.${column} = ${table}.id AND status <> 'decommissioned')`,
          )
          .all()
      expect(wrong('organizations', 'org_id')).toEqual([])
      expect(wrong('sites', 'site_id')).toEqual([])
      db.close()
    }),
    { numRuns: times(80, 25) },
  )
})

test('a device cannot stand at a site of another organization', () => {
  const { db, sites } = stage()
  const [first, , third] = sites
  expect(() =>
    db.run(
      q.insertInto('devices').values({
        id: randomUUIDv7(),
        agent_id: 'x',
        hostname: 'x',
        os_type: 'linux',
        status: 'online',
        org_id: first?.org_id,
        site_id: third?.id,
        ...stamps,
      } as never),
    ),
  ).toThrow('FOREIGN KEY')
})
