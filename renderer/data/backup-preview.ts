import { previewBackup } from '../../shared/api/backup-preview.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'

type PreviewInput = InputOf<typeof previewBackup>['body']
export type PreviewSelection = PreviewInput['selection']

/** The device stops looking when the signal is aborted. */
export const lookOnDevice = {
  mutationFn: async ({ signal, ...body }: PreviewInput & { signal: AbortSignal }) =>
    (await api.call(previewBackup, { body }, signal)).data,
}
