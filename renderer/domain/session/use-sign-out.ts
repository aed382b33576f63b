import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { queryClient } from '../../lib/query-client.ts'
import { signOut } from '../../lib/session.ts'

/** Leaves for the sign-in, whether or not the server could be told. */
export function useSignOut() {
  const navigate = useNavigate()
  return useMutation({
    mutationFn: signOut,
    onSettled: async () => {
      await navigate({ to: '/login', search: { reason: 'signed-out' } })
      queryClient.clear()
    },
  })
}
