import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { describeApi } from '../../server/features/system/openapi.ts'
import { allEndpoints } from '../../shared/api/index.ts'
import { endpoint, publicAccess } from '../../shared/endpoint.ts'
import { testApp } from '../helpers/test-app.ts'

interface Operation {
  operationId: string
  security?: object[]
  parameters: { name: string; in: string; required: boolean }[]
  requestBody?: { content: Record<string, { schema: { additionalProperties?: unknown } }> }
  responses: Record<string, object>
}

async function description() {
  await using app = await testApp()
  const response = await app.inject({ url: '/api/v1/openapi.json' })
  expect(response.statusCode).toBe(200)
  return response.json<{ paths: Record<string, Record<string, Operation>> }>()
}

test('the API description is a valid OpenAPI document', async () => {
  const result = await new Validator().validate(await description())
  expect(result.errors ?? []).toEqual([])
  expect(result.valid).toBe(true)
})

test('the API description lists every endpoint with its access, parameters and body', async () => {
  const { paths } = await description()
  for (const { name, method, path, access, body, fileLimit, status } of allEndpoints) {
    const operation = paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
    expect(operation?.operationId, name).toBe(name)
    const byKey = access.who === 'user' && access.byKey ? [{ apiKey: [] }] : []
    expect(operation?.security ?? [], name).toEqual(access.who === 'public' ? [] : [{ [access.who]: [] }, ...byKey])
    const inPath = operation?.parameters.filter((parameter) => parameter.in === 'path').map((one) => one.name)
    expect(inPath, name).toEqual([...path.matchAll(/:(\w+)/g)].map(([, param]) => param))
    expect(operation?.requestBody !== undefined, name).toBe((body ?? fileLimit) !== undefined)
    expect(Object.keys(operation?.responses ?? {}), name).toEqual([String(status), 'default'])
  }
  expect(Object.values(paths).flatMap(Object.keys)).toHaveLength(allEndpoints.length)
})

test('a contract with a schema that cannot be described is refused', () => {
  const make = (body: z.ZodType) =>
    endpoint({
      name: 'test.odd',
      method: 'POST',
      path: '/odd',
      summary: 'Odd',
      access: publicAccess,
      body: z.object({ field: body }),
      reply: z.object({}),
      audit: null,
    })
  expect(() => describeApi([make(z.custom())], '1')).toThrow('cannot be represented')
  expect(describeApi([make(z.string())], '1').paths).toHaveProperty(['/odd', 'post', 'requestBody'])
})

test('replies are described as open, and bodies that refuse unknown keys as closed', async () => {
  const { paths } = await description()
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  for (const { operationId, responses } of operations)
    expect(JSON.stringify(responses), operationId).not.toContain('"additionalProperties":false')
  const refusesUnknownKeys = (body: z.ZodType | undefined) =>
    body?.safeParse({ unknownKey: 1 }).error?.issues.some(({ code }) => code === 'unrecognized_keys') ?? false
  const strict = allEndpoints.filter(({ body }) => refusesUnknownKeys(body)).map(({ name }) => name)
  const closed = operations.filter(({ requestBody }) =>
    Object.values(requestBody?.content ?? {}).some(({ schema }) => schema.additionalProperties === false),
  )
  expect(strict.length).toBeGreaterThan(0)
  expect(closed.map(({ operationId }) => operationId).sort()).toEqual(strict.sort())
})

test('the page that shows the description loads nothing from elsewhere', async () => {
  await using app = await testApp()
  const page = await app.inject({ url: '/api/docs' })
  expect(page.statusCode).toBe(200)
  const links = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = '']) => link)
  expect(links.length).toBeGreaterThan(0)
  for (const link of links) {
    expect(link).toMatch(/^\/api\/docs\//)
    expect((await app.inject({ url: link })).statusCode, link).toBe(200)
  }
  expect(page.headers['content-security-policy']).toContain("script-src 'self'")
})
