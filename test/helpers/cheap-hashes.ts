/**
 * Before each test file: passwords are hashed and compared by the real argon2, but at its lowest cost, because the
 * thousands of sign-ins in tests would take minutes. `hashing.test.ts` looks at what the appliance asks for, in a process
 * of its own.
 */
import './cheap-hashes-preload.mjs'
import './password-check.ts'
