import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, sep } from 'node:path'
import helmet from '@fastify/helmet'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { notFound } from '../../platform/http/failures.ts'
import { apiPrefix } from '../../platform/http/http.ts'

const toAnybody = { config: { access: { who: 'public' as const } } }

/**
 * No HSTS: a browser that remembers it lets nobody past the warning about our own authority, and HOMEPORT_TLS=off would
 * lock everybody out. The policies are set by the pages themselves.
 */
const pageHeaders = { hsts: false, contentSecurityPolicy: false, xFrameOptions: { action: 'deny' } } as const

const commonDirectives = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'connect-src': ["'self'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
}

/** Without the library's defaults: `upgrade-insecure-requests` breaks plain HTTP. */
const policyOf = (directives: Record<string, string[]>) => ({
  contentSecurityPolicy: { useDefaults: false, directives: { ...commonDirectives, ...directives } },
})

const consolePolicy = (nonce: string, logoOrigin: string | null) =>
  policyOf({
    'style-src': ["'self'", `'nonce-${nonce}'`],
    'img-src': ["'self'", 'data:', ...(logoOrigin ? [logoOrigin] : [])],
    'font-src': ["'self'"],
    'manifest-src': ["'self'"],
  })

// Swagger UI writes style elements of its own; scripts stay ours.
const docsPolicy = policyOf({ 'style-src': ["'self'", "'unsafe-inline'"], 'img-src': ["'self'", 'data:'] })

/** What browsers show: the console, and the description of the API. They get headers that other answers do not need. */
export async function servePages(
  app: FastifyInstance,
  consoleDir: string,
  logoOrigin: () => string | null,
): Promise<void> {
  await app.register(async (pages) => {
    await pages.register(helmet, pageHeaders)
    pages.addHook('onRequest', (_request, reply, done) => {
      reply.header('permissions-policy', 'camera=(), microphone=(), geolocation=()')
      done()
    })
    await pages.register(fastifyStatic, { root: consoleDir, serve: false, preCompressed: true })
    serveConsole(pages, consoleDir, logoOrigin)
    serveApiDocs(pages)
  })
}

/** Serves the console at the root: hashed assets for ever, its page with a fresh nonce for every address in it. */
function serveConsole(pages: FastifyInstance, consoleDir: string, logoOrigin: () => string | null): void {
  pages.get('/*', toAnybody, (request, reply) => {
    const path = decodeURIComponent(request.url.split('?')[0] ?? '/')
    if (path.startsWith(apiPrefix) || path.startsWith('/api')) throw notFound(request.url)
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
  reply.helmet(consolePolicy(nonce, logoOrigin))
  return reply.send(readFileSync(file, 'utf8').replaceAll('__CSP_NONCE__', nonce))
}

/** The API's page: the description, readable and nothing loaded from elsewhere. */
function serveApiDocs(pages: FastifyInstance): void {
  const files = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  pages.get('/api/docs', toAnybody, (_request, reply) => {
    reply.helmet(docsPolicy)
    return reply.type('text/html; charset=utf-8').send(docsPage)
  })
  pages.get('/api/docs/start.js', toAnybody, (_request, reply) => reply.type('text/javascript').send(docsStart))
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js'])
    pages.get(`/api/docs/${name}`, toAnybody, (_request, reply) => reply.sendFile(name, files))
}

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
