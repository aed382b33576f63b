import { z } from 'zod'
import {
  createDocument,
  type oas31,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi'
import type { Access, Endpoint } from '../../../shared/endpoint.ts'
import { apiPrefix } from '../../platform/http/http.ts'

const errorSchema: oas31.SchemaObject = {
  type: 'object',
  required: ['error'],
  properties: {
    error: { type: 'string' },
    message: { type: 'string' },
    code: { type: 'string' },
    details: { type: 'object' },
    retryAfter: { type: 'integer', description: 'Seconds to wait before retrying' },
  },
}

const file: oas31.SchemaObject = { type: 'string', format: 'binary' }
const fileSchema = (count: number): oas31.SchemaObject => ({
  type: 'object',
  required: ['file'],
  properties: { file: count === 1 ? file : { type: 'array', items: file, maxItems: count } },
})

/** Replies may gain keys: what a newer version adds must not break a client that checks what it gets. */
const openReplies: ZodOpenApiOverride = ({ io, jsonSchema }) => {
  if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
}

/**
 * OpenAPI 3.1 from the contracts.
 * @throws Error at a contract whose schema JSON cannot express
 */
export function describeApi(endpoints: readonly Endpoint[], version: string): ReturnType<typeof createDocument> {
  const paths: ZodOpenApiPathsObject = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: describe(endpoint) }
  }
  return createDocument(
    {
      openapi: '3.1.0',
      info: { title: 'Homeport', version, description: 'Endpoint management on one box.' },
      servers: [{ url: apiPrefix }],
      paths,
      components: {
        securitySchemes: {
          user: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'A key of one organization' },
          agent: { type: 'http', scheme: 'bearer', description: 'The device’s token from enrollment' },
        },
        schemas: { Error: errorSchema },
      },
    },
    { override: openReplies },
  )
}

function describe(endpoint: Endpoint): ZodOpenApiOperationObject {
  const { access, params, query, body, fileLimit, fileCount = 1, reply, content, status } = endpoint
  return {
    operationId: endpoint.name,
    tags: [endpoint.name.split('.')[0] ?? endpoint.name],
    summary: endpoint.summary,
    description: describeAccess(access),
    ...(access.who !== 'public' && { security: credentialsFor(access).map((name) => ({ [name]: [] })) }),
    requestParams: { ...(params && { path: fieldsOf(params) }), ...(query && { query: fieldsOf(query) }) },
    ...(fileLimit && {
      requestBody: { required: true, content: { 'multipart/form-data': { schema: fileSchema(fileCount) } } },
    }),
    ...(body && {
      requestBody: {
        required: !body.safeParse(undefined).success,
        content: { 'application/json': { schema: body } },
      },
    }),
    responses: {
      [`${status}`]: status === 302 ? redirect : success(reply, content),
      default: {
        description: 'Refused',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  }
}

const redirect = { description: 'The address to go to, in the header Location' }

const success = (reply: z.ZodType, content: string | undefined): ZodOpenApiResponseObject => ({
  description: 'Success',
  content: content ? { [content]: { schema: { type: 'string' } } } : { 'application/json': { schema: reply } },
})

/** Parameters are an object in every contract, some with a rule across its fields. */
function fieldsOf(schema: z.ZodType): z.ZodType<unknown, Record<string, unknown>> {
  if (isObject(schema)) return schema
  throw new Error(`Parameters must be an object, not ${schema.def.type}`)
}

const isObject = (schema: z.ZodType): schema is z.ZodType<unknown, Record<string, unknown>> =>
  schema instanceof z.ZodObject || schema instanceof z.ZodPipe

/** Any one of them will do. */
const credentialsFor = (access: Access) => (access.who === 'user' && access.byKey ? ['user', 'apiKey'] : [access.who])

function describeAccess(access: Access): string {
  if (access.who === 'public') return 'For anybody.'
  if (access.who === 'agent') return `For an enrolled device (${access.roles.join(', ')}).`
  return [
    access.platformAdmin ? 'For platform administrators.' : `For users of scope ${access.scopes.join(', ')}.`,
    access.permission && `Needs ${[access.permission, access.or].filter(Boolean).join(' or ')}.`,
    access.and && `Needs ${access.and} as well.`,
    access.sometimes && `Some of it needs ${access.sometimes}.`,
    access.mfa === 'strict' && 'The session must have passed a second factor.',
    access.mfa === 'session' && 'Users with a second factor must have passed it in this session.',
  ]
    .filter(Boolean)
    .join(' ')
}
