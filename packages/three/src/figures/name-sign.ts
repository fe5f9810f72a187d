import { CanvasTexture, Sprite, SpriteMaterial, SRGBColorSpace, Vector3 } from "three";

/** Pixels of the text, and of the air around it. */
const [TEXT_PIXELS, MARGIN_PIXELS, WIDTH_PIXELS_MAX] = [40, 16, 640];
/** Height of a sign in voxels. */
const SIGN_VOXELS = 0.34;
/** Distances in voxels from which on a name fades, and at which it is gone. */
const [FADES_FROM, GONE_AT] = [14, 44];

/** Returns a sign with a name that faces the camera and fades with distance. */
export function nameSign(name: string): Sprite {
  const map = new CanvasTexture(painted(name));
  map.colorSpace = SRGBColorSpace;
  const material = new SpriteMaterial({
    map,
    transparent: true,
    depthWrite: false,
    toneMapped: false,
    fog: false,
  });
  const sign = new Sprite(material);
  sign.name = "name";
  const { width, height } = map.image;
  sign.scale.set((SIGN_VOXELS * width) / height, SIGN_VOXELS, 1);
  sign.raycast = () => {}; // a name is not what a player points at
  sign.onBeforeRender = (_renderer, _scene, camera) => {
    const far = here
      .setFromMatrixPosition(sign.matrixWorld)
      .distanceTo(eye.setFromMatrixPosition(camera.matrixWorld));
    material.opacity = Math.min(1, Math.max(0, (GONE_AT - far) / (GONE_AT - FADES_FROM)));
  };
  return sign;
}

const here = new Vector3();
const eye = new Vector3();

function painted(name: string): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  const font = `600 ${TEXT_PIXELS}px system-ui, sans-serif`;
  const pen = canvas.getContext("2d") as CanvasRenderingContext2D;
  pen.font = font;
  const width = Math.min(WIDTH_PIXELS_MAX, Math.ceil(pen.measureText(name).width));
  canvas.width = width + 2 * MARGIN_PIXELS;
  canvas.height = TEXT_PIXELS + 1.5 * MARGIN_PIXELS;
  pen.fillStyle = "rgb(12 18 28 / 42%)";
  pen.roundRect(0, 0, canvas.width, canvas.height, 14);
  pen.fill();
  pen.font = font;
  pen.textBaseline = "middle";
  pen.textAlign = "center";
  pen.fillStyle = "#fff";
  pen.fillText(name, canvas.width / 2, canvas.height / 2 + 2, width);
  return canvas;
}
