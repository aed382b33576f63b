import { table } from '../../db/table.ts'

export interface UserAvatarTable {
  user_id: string
  mime: string
  data: Buffer
  updated_at: string
}

export const peopleTables = {
  user_avatars: table<UserAvatarTable>({
    writtenBy: ['people'],
    tenancy: { by: 'none', because: 'of an identity; it is reached through a membership' },
    merge: { policy: 'none', because: 'of an identity' },
    erasure: { stay: 'of an identity' },
  }),
}
