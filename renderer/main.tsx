import { config } from 'zod'

// Contracts are zod schemas, and a schema decides when it is built whether it may compile itself with
// `new Function`, which the content security policy forbids. So this comes before anything that imports one.
config({ jitless: true })

const { start } = await import('./app.tsx')
start()
