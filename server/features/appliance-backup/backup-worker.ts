import { workHere } from '../../platform/tasks/index.ts'
import { writeBackup } from './archive.ts'

/** Copying and compressing take seconds of computing, so they have a thread of their own. */
await workHere<{ dataDir: string; file: string }, never>(({ dataDir, file }) => writeBackup({ dataDir }, file))
