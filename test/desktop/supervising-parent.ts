import { superviseServer } from '../../main/server-process.ts'
import { forkServers } from './fork-server.ts'

/** Supervises one server and says its process id once it is ready. */
const { start, children } = forkServers('well')
superviseServer({
  start,
  onState: ({ phase }) => phase === 'ready' && process.stdout.write(`${children[0]?.pid}\n`),
})
