import { z } from 'zod'
import type { Access, Endpoint } from '../../../shared/endpoint.ts'
import { apiPrefix } from '../../platform/http/http.ts'

const errorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: { type: 'string' },
    message: { type: 'string' },
    code: { type: 'string' },
    details: { type: 'object' },
    retryAfter: { type: 'integer', description: 'Seconds until it is worth trying again' },
  },
}

const fileSchema = {
  type: 'object',
  required: ['file'],
  properties: { file: { type: 'string', format: 'binary' } },
}

const schemaOf = (schema: z.ZodType, io: 'input' | 'output') => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' })
  return json
}

/** OpenAPI 3.1 from the contracts. */
export function describeApi(endpoints: readonly Endpoint[], version: string) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}')
    const operations = paths[path] ?? {}
    operations[endpoint.method.toLowerCase()] = describe(endpoint)
    paths[path] = operations
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Homeport', version, description: 'Endpoint management on one box.' },
    servers: [{ url: apiPrefix }],
    paths,
    components: {
      securitySchemes: {
        user: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'A key of one organization' },
        agent: { type: 'http', scheme: 'bearer', description: 'The token a device got when it enrolled' },
      },
      schemas: { Error: errorSchema },
    },
  }
}

function describe(endpoint: Endpoint) {
  const { access, params, query, body, fileLimit, reply, content, status } = endpoint
  return {
    operationId: endpoint.name,
    tags: [endpoint.name.split('.')[0]],
    summary: endpoint.summary,
    description: describeAccess(access),
    ...(access.who !== 'public' && { security: credentialsFor(access).map((name) => ({ [name]: [] })) }),
    parameters: [...parametersOf(params, 'path'), ...parametersOf(query, 'query')],
    ...(fileLimit && {
      requestBody: { required: true, content: { 'multipart/form-data': { schema: fileSchema } } },
    }),
    ...(body && {
      requestBody: {
        required: !body.safeParse(undefined).success,
        content: { 'application/json': { schema: schemaOf(body, 'input') } },
      },
    }),
    responses: {
      [status]: {
        description: status === 302 ? 'The address to go to, in the header Location' : 'Success',
        ...(status !== 302 && {
          content: content
            ? { [content]: { schema: { type: 'string' } } }
            : { 'application/json': { schema: schemaOf(reply, 'input') } },
        }),
      },
      default: {
        description: 'Refused',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  }
}

/** Any one of them will do. */
const credentialsFor = (access: Access) => (access.who === 'user' && access.byKey ? ['user', 'apiKey'] : [access.who])

function describeAccess(access: Access): string {
  if (access.who === 'public') return 'For anybody.'
  if (access.who === 'agent') return `For an enrolled device (${access.roles.join(', ')}).`
  return [
    access.platformAdmin ? 'For platform administrators.' : `For users of scope ${access.scopes.join(', ')}.`,
    access.permission && `Needs ${[access.permission, access.or].filter(Boolean).join(' or ')}.`,
    access.mfa === 'strict' && 'The session must have passed a second factor.',
    access.mfa === 'session' && 'Users with a second factor must have passed it in this session.',
  ]
    .filter(Boolean)
    .join(' ')
}

function parametersOf(schema: z.ZodType | undefined, place: 'path' | 'query') {
  if (!schema) return []
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, unknown>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }))
}
