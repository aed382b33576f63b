import { config } from 'zod'

// Contracts are zod schemas. When built, a schema decides whether it compiles itself with `new Function`, which the
// content security policy forbids; so `main.tsx` imports this before anything that builds one.
config({ jitless: true })
