import { BoxGeometry, Mesh, ShaderMaterial } from "three";

/** Beyond the faces of a block, so that it lies in front of them, in voxels. */
const BEYOND = 0.004;

/** Lines at least a pixel and a half wide, so that they are whole from afar, too. */
const VERTEX = /* glsl */ `
varying vec3 onBox;
varying vec3 size;
void main() {
  size = vec3(length(modelMatrix[0].xyz), length(modelMatrix[1].xyz), length(modelMatrix[2].xyz));
  onBox = position * size;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;
const FRAGMENT = /* glsl */ `
varying vec3 onBox;
varying vec3 size;
void main() {
  // The nearest edge is the second nearest of the three pairs of faces: of one pair, the pixel is part.
  vec3 away = size * 0.5 - abs(onBox);
  float nearest = min(away.x, min(away.y, away.z));
  float farthest = max(away.x, max(away.y, away.z));
  float edge = away.x + away.y + away.z - nearest - farthest;
  float pixel = max(fwidth(onBox.x), max(fwidth(onBox.y), fwidth(onBox.z)));
  float line = max(0.016, 1.5 * pixel);
  float dark = 1.0 - smoothstep(line - 0.5 * pixel, line + 0.5 * pixel, edge);
  float light = 1.0 - smoothstep(1.75 * line - 0.5 * pixel, 1.75 * line + 0.5 * pixel, edge);
  if (light < 0.01) discard;
  gl_FragColor = vec4(mix(vec3(1.0), vec3(0.008, 0.01, 0.016), dark), mix(0.3 * light, 0.72, dark));
  #include <colorspace_fragment>
}`;

/** Returns the outline of a box: thin and dark, with a light inner edge. Its place and size are those of the mesh. */
export function outlineMesh(): Mesh<BoxGeometry, ShaderMaterial> {
  const material = new ShaderMaterial({
    name: "outline",
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    transparent: true,
    depthWrite: false,
    toneMapped: false,
  });
  const mesh = new Mesh(new BoxGeometry(1, 1, 1), material);
  mesh.visible = false;
  mesh.renderOrder = 4;
  mesh.raycast = () => {};
  return mesh;
}

/** Puts an outline around a box, in voxels. */
export function outlineBox(mesh: Mesh, min: readonly number[], max: readonly number[]): void {
  const [x = 0, y = 0, z = 0] = min.map((low, axis) => (low + (max[axis] as number)) / 2);
  mesh.position.set(x, y, z);
  const [width = 1, height = 1, depth = 1] = min.map((low, axis) => (max[axis] as number) - low + 2 * BEYOND);
  mesh.scale.set(width, height, depth);
}
