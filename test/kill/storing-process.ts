import { createReadStream } from 'node:fs'
import { SnapshotIndex } from '../../server/features/snapshot-index/index.ts'

/** A process that stores a listing, for a test that kills it: `<folder> <repository> <snapshot> <listing>`. */

const [folder = '', repository = '', id = '', listing = ''] = process.argv.slice(2)
const index = new SnapshotIndex(folder)
await index.store(repository, { id, time: 2 }, createReadStream(listing))
process.stdout.write('stored\n')
await index.stop()
