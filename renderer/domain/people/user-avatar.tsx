import { Avatar } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { avatarQuery } from '../../data/avatars.ts'

interface Props {
  person: { id: string; name: string; avatarUrl: string | null }
  /** In pixels. */
  size?: number
}

/** Picture or initials of a person. Decorative, because the name stands next to it. */
export function UserAvatar({ person: { id, name, avatarUrl }, size = 32 }: Props) {
  const picture = useQuery({ ...avatarQuery(id), enabled: avatarUrl !== null }).data
  const src = avatarUrl === null ? undefined : picture
  return <Avatar name={name} src={src ?? null} alt="" color="harbor" radius="100%" size={size} aria-hidden />
}
