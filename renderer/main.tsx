import { config } from 'zod'

// Contracts are zod schemas. When built, a schema decides whether it compiles itself with `new Function`, which the
// content security policy forbids; so this runs before anything imports one.
config({ jitless: true })

const { start } = await import('./app.tsx')
start()
