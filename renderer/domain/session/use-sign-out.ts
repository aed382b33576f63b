import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { queryClient } from '../../lib/query-client.ts'
import { signOut } from '../../lib/session.ts'

/** Navigates to the sign-in, even if the server did not answer. */
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
