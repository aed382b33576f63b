import si from 'systeminformation'
import type { Connection } from '../../shared/device/inventory.ts'
import { fact } from './text.ts'

type Found = Pick<
  si.Systeminformation.NetworkConnectionsData,
  'protocol' | 'localAddress' | 'localPort' | 'peerAddress' | 'peerPort' | 'state' | 'process'
> & { pid: number | null }

export const readConnections = async (): Promise<Connection[]> => toConnections(await si.networkConnections())

export function toConnections(found: Found[]): Connection[] {
  return found.slice(0, 10_000).map((connection) => ({
    protocol: connection.protocol.toLowerCase(),
    localAddr: fact(connection.localAddress, 64),
    localPort: port(connection.localPort),
    remoteAddr: fact(connection.peerAddress, 64),
    remotePort: port(connection.peerPort),
    state: fact(connection.state, 32),
    pid: connection.pid || null,
    processName: fact(connection.process),
  }))
}

/** `*` stands for any port. */
const port = (text: string): number | null => (/^\d+$/.test(text) ? Number(text) : null)
