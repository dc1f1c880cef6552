/** GET /health: this door answers. Whether the whole server is ready is /health/ready's to say. */
export async function getHealth(): Promise<Response> {
  return Response.json({ name: 'Hoplet', description: 'Hoplet serves the Supabase auth protocol' })
}
