import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import { askedOfApiKeys, askedPermissions } from '../shared/api/asked-permissions.ts'
import { listedPermissions, slimContracts } from './slim-contracts.ts'

/** What is left of these modules of the folder `shared`, beginning with `main.ts`. */
async function built(modules: Record<string, string>): Promise<string> {
  const folder = join(mkdtempSync(join(tmpdir(), 'homeport-contracts-')), 'shared')
  try {
    mkdirSync(folder)
    for (const [name, code] of Object.entries(modules)) writeFileSync(join(folder, name), code)
    // `apply` is for Vite only.
    const [{ apply: _, ...plugin }] = [slimContracts]
    const build = await rolldown({ input: join(folder, 'main.ts'), plugins: [plugin], external: ['zod'] })
    return (await build.generate({})).output[0].code
  } finally {
    rmSync(join(folder, '..'), { recursive: true })
  }
}

test('an endpoint keeps what clients read, and schemas that only the server uses are gone', async () => {
  const code = await built({
    'main.ts': `export { addSite } from './sites.ts'`,
    'sites.ts': `
      import { z } from 'zod'
      const endpoint = (definition) => ({ status: 200, ...definition })
      const user = (permission) => ({ who: 'user', permission })
      const site = z.object({ isOnlyInTheReply: z.string().min(1) })
      const sites = z.array(site).max(100)
      const reply = { data: sites.optional() }
      export const addSite = endpoint({
        name: 'sites.add',
        method: 'POST',
        path: '/sites',
        access: user('sites:write'),
        params: z.object({ id: z.uuid() }),
        body: z.object({ isInTheBody: z.string() }),
        reply: z.object({ ...reply, nested: z.object({ isNested: z.boolean() }) }),
      })
      export const listSites = endpoint({ method: 'GET', path: '/isNotCalled', reply: site })`,
  })
  for (const kept of ['"POST"', '"/sites"', 'isInTheBody', '"sites:write"'])
    expect(code.replaceAll("'", '"')).toContain(kept)
  for (const gone of ['sites.add', 'isOnlyInTheReply', 'uuid', 'isNested', 'max(100)', 'isNotCalled'])
    expect(code).not.toContain(gone)
})

test('calls in the functions of a contract are kept, whether or not their result is used', async () => {
  const code = await built({
    'main.ts': `export { password } from './fields.ts'`,
    'fields.ts': `
      import { z } from 'zod'
      export const password = z.string().superRefine((text, context) => {
        context.addIssue('too short')
      })`,
  })
  expect(code).toContain('addIssue')
})

test('the permissions that endpoints ask for are written out', async () => {
  const { handler } = listedPermissions.transform as { handler: () => string }
  const written = await import(`data:text/javascript,${encodeURIComponent(handler())}`)
  expect(written).toMatchObject({ askedPermissions, askedOfApiKeys })
  expect(askedPermissions).toContain('devices:read')
})
