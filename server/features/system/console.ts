import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, sep } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { notFound } from '../../platform/http/failures.ts'
import { apiPrefix } from '../../platform/http/http.ts'

const toAnybody = { config: { access: { who: 'public' as const } } }

const consolePolicy = (nonce: string, logoOrigin: string | null) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src 'self' data:${logoOrigin ? ` ${logoOrigin}` : ''}`,
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

// Swagger UI writes style elements of its own; scripts stay ours.
const docsPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Serves the console at the root: hashed assets for ever, its page with a fresh nonce for every address in it. */
export async function serveConsole(
  app: FastifyInstance,
  consoleDir: string,
  logoOrigin: () => string | null,
): Promise<void> {
  await app.register(fastifyStatic, { root: consoleDir, serve: false, preCompressed: true })
  app.get('/*', toAnybody, (request, reply) => {
    const path = decodeURIComponent(request.url.split('?')[0] ?? '/')
    if (path.startsWith(apiPrefix) || path.startsWith('/api')) throw notFound(request.url)
    secure(reply)
    const isAsset = path.startsWith('/assets/')
    if (path !== '/' && path !== '/index.html' && (isAsset || isFile(join(consoleDir, path), consoleDir)))
      return reply.sendFile(path.slice(1), { maxAge: isAsset ? '365d' : '1h', immutable: isAsset, dotfiles: 'deny' })
    return sendPage(reply, consoleDir, logoOrigin())
  })
}

function sendPage(reply: FastifyReply, consoleDir: string, logoOrigin: string | null): FastifyReply {
  const file = join(consoleDir, 'index.html')
  reply.type('text/html; charset=utf-8').header('cache-control', 'no-store')
  if (!existsSync(file)) return reply.code(503).send('The console has not been built. Run: npm run build')
  const nonce = randomBytes(16).toString('base64')
  reply.header('content-security-policy', consolePolicy(nonce, logoOrigin))
  return reply.send(readFileSync(file, 'utf8').replaceAll('__CSP_NONCE__', nonce))
}

/** The API's page: the description, readable and nothing loaded from elsewhere. */
export function serveApiDocs(app: FastifyInstance): void {
  const files = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  app.get('/api/docs', toAnybody, (_request, reply) => {
    secure(reply).header('content-security-policy', docsPolicy).type('text/html; charset=utf-8')
    return reply.send(docsPage)
  })
  app.get('/api/docs/start.js', toAnybody, (_request, reply) => secure(reply).type('text/javascript').send(docsStart))
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js'])
    app.get(`/api/docs/${name}`, toAnybody, (_request, reply) => secure(reply).sendFile(name, files))
}

const secure = (reply: FastifyReply): FastifyReply =>
  reply.headers({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
    'cross-origin-opener-policy': 'same-origin',
  })

function isFile(path: string, below: string): boolean {
  if (!path.startsWith(below + sep)) return false
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
  } catch {
    // A name no file can have.
    return false
  }
}

const docsPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Homeport API</title>
    <link rel="stylesheet" href="/api/docs/swagger-ui.css" />
  </head>
  <body>
    <div id="api"></div>
    <script src="/api/docs/swagger-ui-bundle.js"></script>
    <script src="/api/docs/start.js"></script>
  </body>
</html>
`

const docsStart = `SwaggerUIBundle({ url: '${apiPrefix}/openapi.json', dom_id: '#api', deepLinking: true, defaultModelsExpandDepth: -1 })
`
